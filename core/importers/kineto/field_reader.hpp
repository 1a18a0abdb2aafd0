// SPDX-License-Identifier: Apache-2.0
// Values of an event's fields. A field that is there and cannot be read, or is not there and had to
// be, is counted in Health::missing_fields and gives the caller's fallback.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/importers/kineto/event.hpp"
#include "core/model/trace.hpp"

namespace stepscope::kineto {

class FieldReader {
 public:
  FieldReader(StringTable& strings, Health& health) : strings_(strings), health_(health) {}

  // Required fields.
  std::optional<std::int64_t> time(const Event& event);
  // Begin and length are 0: PyTorch writes so what it lost the times of.
  static bool lost_time(const Event& event);
  std::int64_t duration(const Event& event);  // 0 where there is none that can be
  StringId name(const Event& event);

  // Optional ones.
  std::optional<std::int64_t> integer(const Event& event, Field field);
  template <class Unsigned>
  Unsigned id(const Event& event, Field field, Unsigned otherwise);
  std::uint32_t correlation(const Event& event);  // 0: none
  void three(const Event& event, Field field, std::array<std::uint32_t, 3>& out);
  StringId intern(const JsonValue& value);
  std::string_view text(const JsonValue& value);  // valid until the next call

  void count_missing() { ++health_.missing_fields; }
  // Events whose length is missing, negative or none that can be.
  std::uint64_t unended() const { return unended_; }
  void count_unended(std::uint64_t more) { unended_ += more; }
  // Texts with escapes that JSON does not have, or with control bytes.
  std::uint64_t odd_texts() const { return odd_texts_; }

 private:
  StringTable& strings_;
  Health& health_;
  std::string scratch_;
  std::uint64_t unended_ = 0, odd_texts_ = 0;
};

template <class Unsigned>
Unsigned FieldReader::id(const Event& event, Field field, Unsigned otherwise) {
  const std::optional<std::int64_t> value = integer(event, field);
  if (!value) return otherwise;
  if (*value == -1) return otherwise;  // how CUPTI's "not applicable" is printed
  if (*value >= 0 && static_cast<std::uint64_t>(*value) <= std::numeric_limits<Unsigned>::max()) {
    return static_cast<Unsigned>(*value);
  }
  count_missing();
  return otherwise;
}

}  // namespace stepscope::kineto
