// SPDX-License-Identifier: Apache-2.0
// CUDA calls and kernels as the driver would tell of them, with the collector at work in a forked
// child, and what came of them.
#pragma once

#include <string>
#include <vector>

#include "collectors/cupti/collector.hpp"
#include "collectors/recorder/clock.hpp"
#include "tests/collectors/cupti/fake_cupti.hpp"
#include "tests/collectors/recorded_child.hpp"

namespace stepscope::cupti {

inline constexpr std::uint32_t kLaunch = 211, kCopyAsync = 41, kRecord = 135, kWait = 147;
inline constexpr std::uint32_t kDriverLaunch = 307, kInstantiate = 443;
inline constexpr std::uint32_t kBeginCapture = 315, kEndCapture = 319, kGraphLaunch = 311;

inline void* handle(std::uintptr_t value) {
  return reinterpret_cast<void*>(value);
}

struct LaunchParameters {
  std::uint64_t before[6]{};
  void* stream = nullptr;
};
struct EventParameters {
  void* event;
  void* stream;
};
struct WaitParameters {
  void* stream;
  void* event;
};
struct CopyParameters {
  const void* target = nullptr;
  const void* source = nullptr;
  std::uint64_t count;
  std::uint64_t kind = 1;
  void* stream;
};

inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(recorder::clock_ns(CLOCK_REALTIME));
}

inline std::vector<std::string> call_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const RangeId range : trace.calls().range)
    names.emplace_back(trace.text(trace.host_ranges().name[range]));
  return names;
}

}  // namespace stepscope::cupti
