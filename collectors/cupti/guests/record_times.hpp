// SPDX-License-Identifier: Apache-2.0
// Where the times lie in an activity record, by its kind: in nanoseconds of CUPTI's own clock,
// CLOCK_REALTIME. Records of an older CUPTI may be shorter, and lack some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "collectors/cupti/library/cupti_library.hpp"

namespace stepscope::cupti {

ActivityKind kind_of(const std::uint8_t* record) noexcept;

// Their offsets that lie within the record, the start first; none of kinds that are handed over as
// they are.
std::span<const std::uint8_t> time_offsets(const std::uint8_t* record, std::size_t bytes) noexcept;

inline std::uint64_t time_at(const std::uint8_t* record, std::uint8_t offset) noexcept {
  std::uint64_t time = 0;
  std::memcpy(&time, record + offset, sizeof time);
  return time;
}

}  // namespace stepscope::cupti
