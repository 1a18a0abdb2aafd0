// SPDX-License-Identifier: Apache-2.0
// Reads a struct as fields.hpp describes it. What a field must be is checked here, and an error
// names the field: "cells[12].ns_total: must not be negative".
#pragma once

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "core/model/device_counter.hpp"
#include "core/summary/document/document_field.hpp"
#include "core/summary/document/report_fields.hpp"
#include "core/summary/document/step_fields.hpp"

namespace stepscope::document {

// Reads one of the words of an enum whose values are 0 to `last`.
template <class Word>
void read_word(const Field& field, Word last, Word& out) {
  const std::string name = field.text();
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (name == name_of(static_cast<Word>(i))) return void(out = static_cast<Word>(i));
  field.fail(fmt::format("'{}' is no word that this version knows", name));
}

inline void read(const Field& field, std::string& out) {
  out = field.text();
}
inline void read(const Field& field, bool& out) {
  out = field.flag();
}
inline void read(const Field& field, double& out) {
  out = field.number();
}
inline void read(const Field& field, std::uint64_t& out) {
  out = field.count();
}
inline void read(const Field& field, std::uint32_t& out) {
  out = field.small_count();
}
inline void read(const Field& field, std::int64_t& out) {
  out = read_time(field);
}
inline void read(const Field& field, Cause& out) {
  out = read_cause(field);
}
inline void read(const Field& field, Bound& out) {
  read_word(field, Bound::not_judged, out);
}
inline void read(const Field& field, Direction& out) {
  read_word(field, Direction::recompute, out);
}
inline void read(const Field& field, Severity& out) {
  read_word(field, Severity::high, out);
}
inline void read(const Field& field, Certainty& out) {
  read_word(field, Certainty::assumption, out);
}
inline void read(const Field& field, FoundBy& out) {
  read_word(field, FoundBy::whole_trace, out);
}
inline void read(const Field& field, MemoryTrend& out) {
  read_word(field, MemoryTrend::shrinking, out);
}
inline void read(const Field& field, PeakFrom& out) {
  read_word(field, PeakFrom::table, out);
}

inline void read(const Field& field, std::vector<std::string>& out) {
  field.for_each([&](const Field& one) { out.push_back(one.text()); });
}
inline void read(const Field& field, std::vector<std::pair<std::string, std::string>>& out) {
  if (!field.json().is_object()) field.fail("must be an object");
  for (const auto& [name, text] : field.json().items())
    out.emplace_back(name, Field(text, field.path() + "." + name).text());
}

inline void read(const Field& field, std::vector<std::int64_t>& out) {
  field.for_each([&](const Field& one) { out.push_back(one.integer()); });
}
inline void read(const Field& field, PerCause<std::int64_t>& out) {
  if (!field.json().is_object()) field.fail("must be an object");
  for (const auto& [name, ns] : field.json().items()) {
    const Field part(ns, field.path() + "." + name);
    const std::optional<Cause> cause = cause_named(name);
    if (!cause) part.fail("is no cause that this version knows");
    out[index_of(*cause)] = read_time(part);
  }
}

template <class T>
void read(const Field& field, As<Meaning::section, T> out) {
  const Result<SectionChoice> chosen = parse_section(field.text());
  if (!chosen) field.fail("must be a section's number, like \"1\" or \"1.1\"");
  out.value = *chosen;
}
template <class T>
void read(const Field& field, As<Meaning::moment, T> out) {
  out.value = read_moment(field);
}
template <class T>
void read(const Field& field, As<Meaning::difference, T> out) {
  out.value = read_difference(field);
}
template <class T>
void read(const Field& field, As<Meaning::any, T> out) {
  out.value = field.integer();
}
template <class T>
void read(const Field& field, As<Meaning::rank, T> out) {
  const std::int64_t rank = field.integer();
  if (rank < -1 || rank > std::numeric_limits<std::int32_t>::max()) field.fail("is no rank");
  out.value = static_cast<std::int32_t>(rank);
}
template <class T>
void read(const Field& field, As<Meaning::line_kind, T> out) {
  out.value = field.text() == "function" ? SiteKind::function : SiteKind::call;
}
template <class T>
void read(const Field& field, As<Meaning::hash, T> out) {
  const std::string text = field.text();
  const char* end = text.data() + text.size();
  if (!text.starts_with("0x") || std::from_chars(text.data() + 2, end, out.value, 16).ptr != end)
    field.fail("is no hash");
}
template <class T>
void read(const Field& field, As<Meaning::clock_reason, T> out) {
  const std::string id = field.text();
  for (const ClockReason& reason : kClockReasons) {
    if (reason.id != id) continue;
    out.value.id = reason.id;
    out.value.meaning = reason.meaning;
    return;
  }
  field.fail(fmt::format("'{}' is no reason that this version knows", id));
}

class FieldReader {
 public:
  static constexpr bool kReads = true;
  explicit FieldReader(const Field& from, const std::vector<std::string>* operations = nullptr)
      : from_(from), operations_(operations) {}

  bool wants(bool) const { return true; }
  template <class T>
  void need(const char* name, T&& value) {
    read_value(from_.at(name), value);
  }
  template <class T>
  void maybe(const char* name, T&& value) {
    if (const auto field = from_.find(name)) read_value(*field, value);
  }
  template <class T>
  void if_any(const char* name, T&& value) {
    maybe(name, value);
  }
  template <class T>
  void derived(const char*, const T&) {}
  template <class T>
  void mean(const char* name, T& total, std::uint64_t steps) {
    if (const auto field = from_.find(name))
      total = static_cast<T>(std::llround(field->number() * static_cast<double>(steps)));
  }
  template <class Row, class F>
  void list_of(const char* name, std::vector<Row>& rows, F visit) {
    from_.at(name).for_each([&](const Field& one) {
      FieldReader inner(one, operations_);
      rows.emplace_back();
      visit(inner, rows.back(), rows.size() - 1);
    });
  }
  template <class Row, class... Context>
  void list(const char* name, std::vector<Row>& rows, const Context&... context) {
    list_of(name, rows,
            [&](FieldReader& inner, Row& row, std::size_t) { fields(inner, row, context...); });
  }
  template <class Row, class... Context>
  void maybe_list(const char* name, std::vector<Row>& rows, const Context&... context) {
    if (from_.find(name)) list(name, rows, context...);
  }
  template <class Row>
  void list_if_any(const char* name, std::vector<Row>& rows) {
    maybe_list(name, rows);
  }
  template <class F>
  void object(const char* name, F visit) {
    const auto field = from_.find(name);
    if (!field) return;
    FieldReader inner(*field, operations_);
    visit(inner);
  }
  template <class Row, class... Context>
  void object_if_any(const char* name, std::optional<Row>& row, const Context&... context) {
    object(name, [&](FieldReader& inner) { fields(inner, row.emplace(), context...); });
  }
  void lines(const LineShare&) {}  // parts of the wall time, which the whole document knows

 private:
  template <class T>
  void read_value(const Field& field, T& value) {
    if constexpr (requires { read(field, value); }) {
      read(field, value);
    } else {
      FieldReader inner(field, operations_);
      fields(inner, value);
    }
  }
  template <class T>
  void read_value(const Field& field, std::optional<T>& value) {
    read_value(field, value.emplace());
  }
  template <class T>
  void read_value(const Field& field, As<Meaning::operation, T>& out) {
    const std::uint64_t place = field.count();
    const std::size_t names = operations_ ? operations_->size() : 0;
    if (place >= names)
      field.fail(fmt::format("is {}, but `operations` has {} names", place, names));
    out.value = (*operations_)[place];
  }

  const Field& from_;
  const std::vector<std::string>* operations_;
};

}  // namespace stepscope::document
