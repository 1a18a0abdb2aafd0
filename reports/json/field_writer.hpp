// SPDX-License-Identifier: Apache-2.0
// Writes a struct as core/summary/document/fields.hpp describes it. Internal to reports/json.
#pragma once

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/summary/document/report_fields.hpp"
#include "core/summary/document/step_fields.hpp"

namespace stepscope::document {

// Names of operations stand once, in the order of their first use; cells and the places of counts
// hold their place.
class OperationNames {
 public:
  std::size_t number(const std::string& name) {
    const auto [at, is_new] = places_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return at->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> names_;
};

class FieldWriter {
 public:
  using Json = nlohmann::ordered_json;
  static constexpr bool kReads = false;
  explicit FieldWriter(Json& out, OperationNames* operations = nullptr)
      : out_(out), operations_(operations) {}

  bool wants(bool is_there) const { return is_there; }
  template <class T>
  void need(const char* name, const T& value) {
    out_[name] = json_of(value);
  }
  template <class T>
  void maybe(const char* name, const T& value) {
    need(name, value);
  }
  template <class T>
  void if_any(const char* name, const T& value) {
    if (is_any(value)) need(name, value);
  }
  template <class T>
  void derived(const char* name, const T& value) {
    need(name, value);
  }
  template <class T>
  void mean(const char* name, const T& total, std::uint64_t steps) {
    need(name, per_step(total, steps));
  }
  template <class Row, class F>
  void list_of(const char* name, const std::vector<Row>& rows, F visit) {
    Json all = Json::array();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Json one = Json::object();
      FieldWriter inner(one, operations_);
      visit(inner, rows[i], i);
      all.push_back(std::move(one));
    }
    out_[name] = std::move(all);
  }
  template <class Row, class... Context>
  void list(const char* name, const std::vector<Row>& rows, const Context&... context) {
    list_of(name, rows, [&](FieldWriter& inner, const Row& row, std::size_t) {
      fields(inner, row, context...);
    });
  }
  template <class Row, class... Context>
  void maybe_list(const char* name, const std::vector<Row>& rows, const Context&... context) {
    list(name, rows, context...);
  }
  template <class Row>
  void list_if_any(const char* name, const std::vector<Row>& rows) {
    if (!rows.empty()) list(name, rows);
  }
  template <class F>
  void object(const char* name, F visit) {
    Json inner = Json::object();
    FieldWriter writer(inner, operations_);
    visit(writer);
    out_[name] = std::move(inner);
  }
  template <class Row, class... Context>
  void object_if_any(const char* name, const std::optional<Row>& row, const Context&... context) {
    if (row) out_[name] = object_of(*row, context...);
  }
  void lines(const LineShare& lines);

  template <class Row, class... Context>
  Json object_of(const Row& row, const Context&... context) const {
    Json out = Json::object();
    FieldWriter writer(out, operations_);
    fields(writer, row, context...);
    return out;
  }

 private:
  template <class T>
  static bool is_any(const T& value) {
    if constexpr (requires { value.empty(); })
      return !value.empty();
    else if constexpr (requires { value.has_value(); })
      return value.has_value();
    else
      return value != T{};
  }
  template <class T>
  static bool is_any(const As<Meaning::rank, T>& rank) {
    return rank.value >= 0;
  }
  template <Meaning M, class T>
  static bool is_any(const As<M, T>& as) {
    return is_any(as.value);
  }

  template <class T>
  Json json_of(const T& value) const {
    if constexpr (requires { fields(std::declval<FieldWriter&>(), value); })
      return object_of(value);
    else if constexpr (std::is_enum_v<T>)
      return name_of(value);
    else
      return value;
  }
  template <class T>
  Json json_of(const std::optional<T>& value) const {
    return value ? json_of(*value) : Json(nullptr);
  }
  Json json_of(const std::vector<std::pair<std::string, std::string>>& values) const {
    Json out = Json::object();
    for (const auto& [name, value] : values) out[name] = value;
    return out;
  }
  Json json_of(const std::vector<std::pair<Cause, std::int64_t>>& owners) const {
    Json out = Json::object();
    for (const auto& [cause, ns] : owners) out[std::string(name_of(cause))] = ns;
    return out;
  }
  Json json_of(const PerCause<std::int64_t>& parts) const {
    Json out = Json::object();
    for (std::size_t i = 0; i < kCauseCount; ++i)
      if (parts[i] != 0) out[std::string(name_of(static_cast<Cause>(i)))] = parts[i];
    return out;
  }
  template <Meaning M, class T>
  Json json_of(const As<M, T>& as) const {
    if constexpr (M == Meaning::line_kind)
      return as.value == SiteKind::call ? "call" : "function";
    else if constexpr (M == Meaning::hash)
      return fmt::format("0x{:016x}", as.value);
    else if constexpr (M == Meaning::operation)
      return operations_->number(as.value);
    else if constexpr (M == Meaning::clock_reason)
      return as.value.id;
    else if constexpr (M == Meaning::section)
      return name_of(as.value);
    else
      return as.value;
  }

  Json& out_;
  OperationNames* operations_;
};

template <class Row, class... Context>
FieldWriter::Json object_of(const Row& row, const Context&... context) {
  FieldWriter::Json unused;
  return FieldWriter(unused).object_of(row, context...);
}

}  // namespace stepscope::document
