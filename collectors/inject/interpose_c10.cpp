// SPDX-License-Identifier: Apache-2.0
// The function to which PyTorch's allocators report, interposed under LD_PRELOAD. Each report goes
// on to the real one, which hands it to torch.profiler where that is on.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collectors/inject/real_functions.hpp"
#include "collectors/torch_memory/memory_reports.hpp"

namespace c10 {

struct Device {
  std::int8_t type;
  std::int8_t index;
};

__attribute__((visibility("default"))) void reportMemoryUsageToProfiler(void* pointer,
                                                                        std::int64_t bytes,
                                                                        std::size_t allocated_bytes,
                                                                        std::size_t reserved_bytes,
                                                                        Device device);

}  // namespace c10

namespace {

using Report = decltype(&c10::reportMemoryUsageToProfiler);
constinit std::atomic<Report> real_report{nullptr};

[[gnu::cold]] Report find_real_report() noexcept {
  constexpr const char* kName = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE";
  const auto found =
      reinterpret_cast<Report>(stepscope::inject::real_function(kName, "/libc10.so"));
  real_report.store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace

void c10::reportMemoryUsageToProfiler(void* pointer, std::int64_t bytes,
                                      std::size_t allocated_bytes, std::size_t reserved_bytes,
                                      Device device) {
  stepscope::on_memory_report(device.type, device.index, allocated_bytes, reserved_bytes);
  Report real = real_report.load(std::memory_order_relaxed);
  if (real == nullptr) real = find_real_report();
  if (real != nullptr) real(pointer, bytes, allocated_bytes, reserved_bytes, device);
}
