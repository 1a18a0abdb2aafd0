// SPDX-License-Identifier: Apache-2.0
// An NVML that does what a test says, with devices "GPU-0" to "GPU-7" of NVML indexes 0 to 7.
#pragma once

#include <atomic>
#include <cstdint>

#include "collectors/nvml/nvml_library.hpp"

namespace stepscope::nvml::fake_nvml {

struct State {
  Status init_status = kSuccess;
  Status clock_status = kSuccess;
  Status field_status = kSuccess;  // result of the call
  Status power_field = kSuccess;   // status of the value
  Status nvlink_field = kSuccess;
  Status processes_status = kSuccess;
  std::atomic<int> hang_ms{0};  // in each reading of a clock
  std::atomic<int> clock_calls{0};
  std::atomic<int> searches{0};  // calls of find(), find_none() and device_by_uuid()
  unsigned sm_mhz = 1755, memory_mhz = 2619, instant_mw = 640'000, mean_mw = 500'000, celsius = 61;
  unsigned limit_mw = 600'000, default_limit_mw = 700'000;
  unsigned long long reasons = 4;
  Memory memory{80ULL << 30U, 20ULL << 30U, 60ULL << 30U};
  unsigned listed_pid = 0;
  unsigned long long listed_bytes = 7ULL << 30U;
  unsigned long long sent_kib = 10, received_kib = 20;
};
State& state();

Library library();
FoundLibrary find() noexcept;  // finds library()
FoundLibrary find_none() noexcept;

}  // namespace stepscope::nvml::fake_nvml
