// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stepscope {

void Field::fail(const std::string& what) const {
  throw FieldError(path_.empty() ? what : path_ + ": " + what);
}

Field Field::at(const char* name) const {
  if (!json_->is_object()) fail("must be an object");
  const auto found = json_->find(name);
  const std::string path = path_.empty() ? name : path_ + "." + name;
  if (found == json_->end()) throw FieldError(path + ": is missing");
  return Field(*found, path);
}

std::optional<Field> Field::find(const char* name) const {
  if (!json_->is_object()) fail("must be an object");
  const auto found = json_->find(name);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  return Field(*found, path_.empty() ? name : path_ + "." + name);
}

namespace {

// `byte` counts from 1, as the parser does.
std::string place_text(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const std::size_t last_break = before.rfind('\n');
  const std::size_t line_begin = last_break == std::string_view::npos ? 0 : last_break + 1;
  return fmt::format("line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'),
                     before.size() - line_begin + 1);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    if (error.byte > text.size()) throw FieldError("is not sound JSON: it ends too early");
    throw FieldError("is not sound JSON at " + place_text(text, error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    throw FieldError("is not sound JSON: it holds a number that is too large");
  }
}

std::string Field::text() const {
  if (!json_->is_string()) fail("must be a text");
  return json_->get<std::string>();
}

bool Field::flag() const {
  if (!json_->is_boolean()) fail("must be true or false");
  return json_->get<bool>();
}

double Field::number() const {
  if (!json_->is_number()) fail("must be a number");
  const auto value = json_->get<double>();
  if (!std::isfinite(value)) fail("must be finite");
  return value;
}

std::int64_t Field::integer() const {
  if (!json_->is_number_integer()) fail("must be an integer");
  if (json_->is_number_unsigned() &&
      json_->get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    fail("is too large");
  return json_->get<std::int64_t>();
}

std::uint64_t Field::count() const {
  if (!json_->is_number_unsigned()) fail("must be an integer of 0 or more");
  return json_->get<std::uint64_t>();
}

std::uint32_t Field::small_count() const {
  const std::uint64_t value = count();
  if (value > std::numeric_limits<std::uint32_t>::max()) fail("is too large");
  return static_cast<std::uint32_t>(value);
}

std::string Field::text_or(const char* name, std::string otherwise) const {
  const auto field = find(name);
  return field ? field->text() : std::move(otherwise);
}

namespace {

constexpr std::int64_t kMostTime_ns = std::int64_t{1} << 61U;  // 73 years

std::int64_t read_ns(const Field& field) {
  const std::int64_t ns = field.integer();
  if (ns > kMostTime_ns || ns < -kMostTime_ns) field.fail("is no time that a run can have");
  return ns;
}

}  // namespace

Cause read_cause(const Field& field) {
  const std::string name = field.text();
  const std::optional<Cause> cause = cause_named(name);
  if (!cause) field.fail(fmt::format("'{}' is no cause that this version knows", name));
  return *cause;
}

std::int64_t read_time(const Field& field) {
  const std::int64_t ns = read_ns(field);
  if (ns < 0) field.fail("must not be negative");
  return ns;
}

std::int64_t read_difference(const Field& field) {
  return read_ns(field);
}

std::int64_t read_moment(const Field& field) {
  return read_ns(field);
}

void add_time(std::int64_t ns, const Field& table, std::int64_t& sum) {
  if (__builtin_add_overflow(sum, ns, &sum)) table.fail("sum to more than a time can be");
}

}  // namespace stepscope
