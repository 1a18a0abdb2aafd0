// SPDX-License-Identifier: Apache-2.0
#include "collectors/torch_memory/memory_reports.hpp"

#include <array>
#include <atomic>
#include <string>

#include "collectors/recorder/recorder.hpp"
#include "core/model/device_counter.hpp"

namespace stepscope {
namespace {

constexpr std::int8_t kCuda = 1;  // c10::DeviceType::CUDA
constexpr std::int8_t kMostDevices = 64;

// Reports of one device come one at a time. Names are 0 until its first.
struct DeviceTracks {
  std::atomic<recorder::NameId> allocated{0};
  std::atomic<recorder::NameId> reserved{0};
  std::atomic<std::size_t> last_reserved_bytes{0};
};

// Constant-initialised and never destroyed: tensors are freed until the last instruction.
constinit std::array<DeviceTracks, kMostDevices> tracks{};
constinit std::atomic<bool> enabled{false};

[[gnu::cold]] recorder::NameId intern(std::atomic<recorder::NameId>& to, std::int8_t device,
                                      DeviceCounter counter) noexcept {
  const std::string name = device_track(static_cast<std::uint8_t>(device), counter);
  const recorder::NameId id = recorder::intern_name(name.data(), name.size());
  to.store(id, std::memory_order_relaxed);
  return id;
}

void record(std::atomic<recorder::NameId>& track, std::int8_t device, DeviceCounter counter,
            std::size_t bytes) noexcept {
  recorder::NameId name = track.load(std::memory_order_relaxed);
  if (name == 0) name = intern(track, device, counter);
  recorder::counter(name, static_cast<double>(bytes));
}

}  // namespace

void enable_memory_reports() noexcept {
  enabled.store(true, std::memory_order_relaxed);
}

void on_memory_report(std::int8_t device_type, std::int8_t device, std::size_t allocated_bytes,
                      std::size_t reserved_bytes) noexcept {
  if (!enabled.load(std::memory_order_relaxed) || device_type != kCuda) return;
  if (device < 0 || device >= kMostDevices || !recorder::is_armed() || !recorder::is_capturing())
    return;
  DeviceTracks& own = tracks[static_cast<std::uint8_t>(device)];
  record(own.allocated, device, DeviceCounter::allocator_allocated_bytes, allocated_bytes);
  if (own.last_reserved_bytes.exchange(reserved_bytes, std::memory_order_relaxed) != reserved_bytes)
    record(own.reserved, device, DeviceCounter::allocator_reserved_bytes, reserved_bytes);
}

}  // namespace stepscope
