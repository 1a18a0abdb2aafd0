// SPDX-License-Identifier: Apache-2.0
// The rate of a device-to-device copy, bytes read and written, for others to be judged by.
#pragma once

#include "kernels/common/device_buffer.hpp"
#include "tests/bench/kernels/bench_main.hpp"
#include "tests/bench/kernels/read_only.hpp"
#include "tests/bench/kernels/timing.hpp"

namespace stepscope::kernels {

// Terabytes a second, of a copy of 2 GB.
inline double copy_rate(Bench& bench) {
  constexpr std::size_t kBytes = std::size_t{2} << 30;
  const DeviceBuffer<std::byte> from(kBytes);
  const DeviceBuffer<std::byte> to(kBytes);
  from.fill_bytes(1);
  const Timing timing = bench.time([&](cudaStream_t stream) {
    cuda_check(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, stream),
               "cudaMemcpyAsync");
  });
  return 2 * static_cast<double>(kBytes) / timing.median_us * 1e-6;
}

inline void print_rate_header(const char* title) {
  std::printf("\n%s\n%-44s %10s %10s %10s %8s %8s %8s\n", title, "", "median us", "p99 us",
              "least us", "GB", "TB/s", "of copy");
}

inline void print_rate(const std::string& what, const Timing& timing, double bytes,
                       double copy_terabytes) {
  const double rate = bytes / timing.median_us * 1e-6;
  std::printf("%-44s %10.2f %10.2f %10.2f %8.3f %8.3f %7.1f%%\n", what.c_str(), timing.median_us,
              timing.p99_us, timing.least_us, bytes * 1e-9, rate, 100 * rate / copy_terabytes);
  std::fflush(stdout);
}

// Reads more than the L2 cache holds, before each repetition.
class Flush {
 public:
  Flush() : memory_(kBytes), sink_(1) {
    memory_.fill_bytes(1);
    cuda_check(DeviceLimits::of_current(&device_), "cudaDeviceGetAttribute");
  }
  void operator()(cudaStream_t stream) const {
    read_only_kernels().front().enqueue(memory_.data(), kBytes, sink_.data(), device_, stream);
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{256} << 20;
  DeviceBuffer<std::byte> memory_;
  DeviceBuffer<unsigned> sink_;
  DeviceLimits device_;
};

// CaseRun(case, options, bench, copy's TB/s).run() for each that is wanted.
template <class CaseRun, class Cases>
bool run_cases(const Cases& cases, const BenchOptions& options) {
  const Flush flush;
  Bench bench([&](cudaStream_t stream) { flush(stream); }, options.repetitions);
  const double rate = options.once ? 1 : copy_rate(bench);
  std::printf("copy of 2 GB: %.3f TB/s\n", rate);
  bool sound = true;
  for (const auto& c : cases)
    if (options.wants(c.name)) sound = CaseRun(c, options, bench, rate).run() && sound;
  return sound;
}

}  // namespace stepscope::kernels
