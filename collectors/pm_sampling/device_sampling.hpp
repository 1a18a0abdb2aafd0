// SPDX-License-Identifier: Apache-2.0
// PM sampling of one device: the hardware takes a sample of some counters in each interval, without
// stopping or serialising work, and CUPTI decodes them into values.
//
// open, then start and stop as often as wanted, with read in between, then close. One thread.
// CUPTI holds the device's clocks while sampling is started.
#pragma once

#include <array>
#include <vector>

#include "collectors/pm_sampling/pm_library.hpp"

namespace stepscope::pm {

// One pass of the hardware on every chip that was tried (tests). Shares are of what could be.
inline constexpr std::array<const char*, 4> kMetrics = {
    "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
    "dram__bytes_read.sum.per_second", "dram__bytes_write.sum.per_second"};

struct Sample {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::array<double, kMetrics.size()> values{};
};

// The result of calls of CUPTI: the name of the one that failed, or null.
struct Outcome {
  const char* failed = nullptr;
  Status status = kSuccess;
  bool ok() const noexcept { return failed == nullptr; }
};

class DeviceSampling {
 public:
  DeviceSampling(const Library& library, std::uint32_t device) noexcept
      : library_(library), device_(device) {}

  Outcome open(std::uint64_t interval_ns) noexcept;
  Outcome start() noexcept;
  Outcome stop() noexcept;
  void close() noexcept;

  // Completed samples since the last time, but the first after a start, which is not whole.
  Outcome read(std::vector<Sample>& samples) noexcept;
  bool overflowed() const noexcept {
    return overflowed_;
  }  // the hardware's buffer, in the last read
  std::uint32_t device() const noexcept { return device_; }

 private:
  static constexpr std::size_t kHardwareBufferBytes = std::size_t{64} << 20U;
  static constexpr std::uint32_t kMostSamples = 512;  // samples that one decoding can give

  Outcome make_host() noexcept;
  Outcome make_config() noexcept;
  Outcome make_data() noexcept;
  Outcome reset_data() noexcept;
  Outcome take_samples(std::vector<Sample>& samples) noexcept;

  Library library_;
  std::uint32_t device_;
  void* host_ = nullptr;
  void* sampling_ = nullptr;
  std::vector<std::uint8_t> availability_, config_, data_;
  bool first_ = false;  // the next sample is the first since the start
  bool overflowed_ = false;
};

}  // namespace stepscope::pm
