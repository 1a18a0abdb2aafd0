// SPDX-License-Identifier: Apache-2.0
// The CUDA calls that are recorded, with CUPTI's callback ids and where their parameters hold the
// stream and the one further value worth keeping (an event handle, or a size in bytes; which of the
// two follows from what the call does). Offsets are bytes into the parameter struct that CUPTI
// hands out.
#pragma once

#include <cstdint>
#include <span>

#include "collectors/cupti/library/cupti_abi.hpp"
#include "collectors/recorder/level.hpp"

namespace stepscope::cupti {

inline constexpr std::uint8_t kNowhere = 0xff;
inline constexpr std::uint8_t kConfig = 0xfe;  // in the launch configuration, the first parameter

struct ApiFunction {
  Domain domain;
  std::uint16_t ids[2];  // the plain one and that of per-thread default streams; 0: none
  const char* name;
  Level level;  // the first that records it
  std::uint8_t stream;
  std::uint8_t value;
  // A call of the runtime that makes one listed call of the driver, whose callback gives the same
  // data.
  bool left_to_driver = false;
};

std::span<const ApiFunction> api_functions() noexcept;

// Whether a level has a call's callback. Where it is left to the driver, deep alone has it: the
// runtime's callback costs a launch 0.15 to 0.23 us, the driver's next to nothing
// (docs/measurements/overhead.md). Calls stay with the runtime where they are rare, or where it is
// not known that each makes its listed call of the driver.
inline bool is_recorded(const ApiFunction& function, Level level) noexcept {
  return function.level <= level && (!function.left_to_driver || level == Level::deep);
}

// cudaLaunchKernel and its kin.
inline bool launches_kernel(const ApiFunction& function) noexcept {
  const std::uint16_t id = function.ids[0];
  return function.domain == Domain::runtime ? id == 211 || id == 269 || id == 430
                                            : id == 307 || id == 477 || id == 652;
}

inline bool launches_graph(const ApiFunction& function) noexcept {
  return function.ids[0] == (function.domain == Domain::runtime ? 311 : 514);
}

// A call's code: callback ids of both domains in 16 bits.
inline constexpr std::uint16_t kRuntimeCode = 0x8000;
inline std::uint16_t call_code(Domain domain, std::uint32_t id) noexcept {
  return static_cast<std::uint16_t>(id | (domain == Domain::runtime ? kRuntimeCode : 0U));
}

struct CallArguments {
  void* stream = nullptr;
  bool has_stream = false;
  std::uint64_t value = 0;
};
CallArguments read_arguments(const ApiFunction& function, const void* parameters) noexcept;

}  // namespace stepscope::cupti
