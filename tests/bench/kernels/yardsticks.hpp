// SPDX-License-Identifier: Apache-2.0
// References measured in the same run: the best of the read-only kernels over a case's memory, and
// the rate of a device-to-device copy.
#pragma once

#include "tests/bench/kernels/cold_timer.hpp"
#include "tests/bench/kernels/read_only.hpp"
#include "tests/bench/kernels/timing.hpp"

namespace stepscope::kernels {

struct Readable {
  const void* memory = nullptr;
  std::size_t bytes = 0;  // a multiple of 16384
};

class Reads {
 public:
  Reads(ColdTimer& timer, const Readable& over) : timer_(timer), over_(over), sink_(1) {}

  double bytes() const { return static_cast<double>(over_.bytes); }
  bool runs(std::size_t kernel) const { return kernels_[kernel].runs_on(timer_.device()); }
  std::vector<double> times_us(std::size_t kernel) {
    const std::vector<double> times = timer_.times_us([&](cudaStream_t stream) {
      kernels_[kernel].enqueue(over_.memory, over_.bytes, sink_.data(), timer_.device(), stream);
    });
    medians_us_[kernel] = timing_of(times).median_us;
    return times;
  }

  // The median of the best so far.
  double best_timed_us() const {
    double best = 0;
    for (const double median : medians_us_)
      if (median > 0 && (best == 0 || median < best)) best = median;
    return best;
  }
  // Returns the best of all kernels; those that were left out are timed first.
  double best_us() {
    for (std::size_t i = 0; i < kernels_.size(); ++i)
      if (medians_us_[i] == 0 && runs(i)) times_us(i);
    return best_timed_us();
  }

 private:
  ColdTimer& timer_;
  const Readable over_;
  const DeviceBuffer<unsigned> sink_;
  const std::vector<ReadOnlyKernel> kernels_ = read_only_kernels();
  std::vector<double> medians_us_ = std::vector<double>(kernels_.size());  // 0: not timed
};

// Terabytes a second, read and written, of a copy of 2 GB.
inline double copy_terabytes(ColdTimer& timer) {
  constexpr std::size_t kBytes = std::size_t{2} << 30;
  const DeviceBuffer<std::byte> from(kBytes);
  const DeviceBuffer<std::byte> to(kBytes);
  from.fill_bytes(1);
  const Timing timing = timing_of(timer.times_us([&](cudaStream_t stream) {
    cuda_check(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, stream),
               "cudaMemcpyAsync");
  }));
  return 2 * static_cast<double>(kBytes) / timing.median_us * 1e-6;
}

}  // namespace stepscope::kernels
