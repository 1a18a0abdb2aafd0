// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/field_reader.hpp"

#include <simdjson.h>

#include <algorithm>

#include "core/importers/kineto/json/decimal.hpp"
#include "core/importers/kineto/json/text.hpp"

namespace stepscope::kineto {
namespace {

std::optional<std::int64_t> sane_time(const JsonValue& value) {
  const std::optional<std::int64_t> time = nanoseconds(value.text);
  return time && *time<kLatestTime&& * time> - kLatestTime ? time : std::nullopt;
}

bool is_odd(const JsonValue& value) {
  const std::string_view text = value.text;
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    return true;
  for (std::size_t at = value.escaped ? text.find('\\') : std::string_view::npos; at < text.size();
       at = text.find('\\', at + 2)) {
    if (!is_escape(text.substr(at))) return true;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> FieldReader::time(const Event& event) {
  const std::optional<std::int64_t> time = sane_time(event.get(Field::ts));
  if (!time) count_missing();
  return time;
}

bool FieldReader::lost_time(const Event& event) {
  const auto is_zero = [&event](Field field) { return sane_time(event.get(field)) == 0; };
  return is_zero(Field::ts) && is_zero(Field::dur);
}

// Profilers whose ids are wider, or printed with a sign, are read by their lower 32 bits.
std::uint32_t FieldReader::correlation(const Event& event) {
  const std::int64_t id = integer(event, Field::correlation).value_or(0);
  return id == -1 ? 0 : static_cast<std::uint32_t>(static_cast<std::uint64_t>(id));
}

std::int64_t FieldReader::duration(const Event& event) {
  if (event.get(Field::ph).text == "B") return 0;
  const std::optional<std::int64_t> duration = sane_time(event.get(Field::dur));
  if (duration && *duration >= 0) return *duration;
  return ++unended_, 0;
}

StringId FieldReader::name(const Event& event) {
  if (!event.has(Field::name)) count_missing();
  return intern(event.get(Field::name));
}

std::optional<std::int64_t> FieldReader::integer(const Event& event, Field field) {
  if (!event.has(field)) return std::nullopt;
  const std::optional<std::int64_t> value = kineto::integer(event.get(field).text);
  if (!value) count_missing();
  return value;
}

void FieldReader::three(const Event& event, Field field, std::array<std::uint32_t, 3>& out) {
  std::string_view text = event.get(field).text;
  for (std::uint32_t& number : out) {
    text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::optional<std::int64_t> value = kineto::integer(text.substr(0, digits));
    if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return count_missing();
    number = static_cast<std::uint32_t>(*value);
    text.remove_prefix(digits);
  }
}

std::string_view FieldReader::text(const JsonValue& value) {
  if (is_odd(value)) ++odd_texts_;
  const std::string_view plain = decoded(value, scratch_);
  if (simdjson::validate_utf8(plain.data(), plain.size())) return plain;
  return scratch_ = repaired_utf8(plain);
}

StringId FieldReader::intern(const JsonValue& value) {
  if (!value.escaped) {
    const StringId known = strings_.find(value.text);
    if (known != kNone) return known;
  }
  return strings_.intern(text(value));
}

}  // namespace stepscope::kineto
