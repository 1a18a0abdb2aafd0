// SPDX-License-Identifier: Apache-2.0
// CUDA calls and kernels as the driver would report them, with the collector at work in a forked
// child, and what came of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectors/cupti/collector.hpp"
#include "collectors/recorder/clock.hpp"
#include "tests/collectors/cupti/fake_cupti.hpp"
#include "tests/collectors/recorded_child.hpp"

namespace stepscope::cupti {

inline constexpr std::uint32_t kLaunch = 211, kCopyAsync = 41, kRecord = 135, kWait = 147;
inline constexpr std::uint32_t kBeginCapture = 315, kEndCapture = 319, kGraphLaunch = 311;
inline constexpr std::uint32_t kInstantiate = 443, kDeviceSynchronize = 165;
inline constexpr std::uint32_t kDriverLaunch = 307, kDriverCopyAsync = 277, kDriverRecord = 119;
inline constexpr std::uint32_t kDriverWait = 295, kDriverGraphLaunch = 514;
inline constexpr std::uint32_t kDriverSynchronize = 800;

inline void* handle(std::uintptr_t value) {
  return reinterpret_cast<void*>(value);
}

// As a call site of Python's.
inline recorder::SiteRef line_12_of_train() noexcept {
  return recorder::intern_site(recorder::intern_name("train.py", 8), 12,
                               recorder::intern_name("f", 1));
}

struct LaunchParameters {
  std::uint64_t before[6]{};
  void* stream = nullptr;
};
struct DriverLaunchParameters {
  std::uint64_t before[5]{};
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
struct DriverCopyParameters {
  const void* target = nullptr;
  const void* source = nullptr;
  std::uint64_t count;
  void* stream;
};

// A call of the runtime, and the one of the driver inside it. Returns their correlation id.
inline std::uint32_t call_both(std::uint32_t runtime, const void* outer, std::uint32_t driver,
                               const void* inner, const std::function<void()>& inside = {}) {
  return fake_cupti::call(Domain::runtime, runtime, outer,
                          [&] { fake_cupti::call(Domain::driver, driver, inner, inside); });
}
inline std::uint32_t launch(void* stream = handle(7), const std::function<void()>& inside = {}) {
  const LaunchParameters outer{.stream = stream};
  const DriverLaunchParameters inner{.stream = stream};
  return call_both(kLaunch, &outer, kDriverLaunch, &inner, inside);
}

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
