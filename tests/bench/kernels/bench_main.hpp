// SPDX-License-Identifier: Apache-2.0
// What the programs beside this file have in common: their options and a cold L2.
//
//   [--repetitions N] [--case NAME] [--once]
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/common/device_buffer.hpp"
#include "tests/bench/kernels/read_only.hpp"
#include "tests/bench/kernels/timing.hpp"

namespace stepscope::kernels {

struct Options {
  std::size_t repetitions = 200;
  std::string only;   // a case's name; empty: all
  bool once = false;  // run each way once and time nothing (for profilers)

  Options(int count, char** words) {
    for (int i = 1; i < count; ++i) {
      if (std::strcmp(words[i], "--once") == 0) once = true;
      if (i + 1 == count) break;
      if (std::strcmp(words[i], "--repetitions") == 0)
        repetitions = std::strtoul(words[i + 1], nullptr, 10);
      if (std::strcmp(words[i], "--case") == 0) only = words[i + 1];
    }
  }
};

// run(case, options, bench, device) for each case that is meant; what the program returns. 77 where
// there is no GPU.
template <class Case, std::size_t kCases, class Run>
int run_cases(const Case (&cases)[kCases], const Options& options, Run run) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no GPU");
    return 77;
  }
  DeviceLimits device;
  cuda_check(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute");
  constexpr std::size_t kFlushBytes = std::size_t{256} << 20;
  const DeviceBuffer<std::byte> flushed(kFlushBytes);
  const DeviceBuffer<unsigned> sink(1);
  flushed.fill_bytes(1);
  const ReadOnlyKernel flush = read_only_kernels().front();
  Bench bench(
      [&](cudaStream_t stream) {
        flush.enqueue(flushed.data(), kFlushBytes, sink.data(), device, stream);
      },
      options.repetitions);
  bool sound = true;
  for (const Case& c : cases)
    if (options.only.empty() || options.only == c.name)
      sound = run(c, options, bench, device) && sound;
  return sound ? 0 : 1;
}

// The best of the read-only kernels for so many bytes; each is printed.
inline double time_reads(Bench& bench, const DeviceLimits& device, const void* memory,
                         std::size_t bytes) {
  const DeviceBuffer<unsigned> sink(1);
  double best_us = 0;
  for (const ReadOnlyKernel& kernel : read_only_kernels()) {
    const Timing timing = bench.time(
        [&](cudaStream_t stream) { kernel.enqueue(memory, bytes, sink.data(), device, stream); });
    if (best_us == 0 || timing.median_us < best_us) best_us = timing.median_us;
    print_timing("read: " + kernel.name, timing, static_cast<double>(bytes), best_us);
  }
  return best_us;
}

}  // namespace stepscope::kernels
