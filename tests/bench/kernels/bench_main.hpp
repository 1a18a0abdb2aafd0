// SPDX-License-Identifier: Apache-2.0
// What the programs here share: --repetitions N, --case NAME and --once, and 77, which ctest takes
// for skipped, where there is no GPU.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/common/device_buffer.hpp"
#include "tests/bench/kernels/read_only.hpp"
#include "tests/bench/kernels/timing.hpp"
#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {

struct BenchOptions {
  std::size_t repetitions = 0;
  std::string only;   // a case's name; empty: all
  bool once = false;  // each way once, and nothing timed

  bool wants(const char* name) const { return only.empty() || only == name; }
};

// run(options): whether all answers were right.
template <class Run>
int bench_main(int count, char** words, std::size_t repetitions, Run run) {
  BenchOptions options{repetitions};
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--once") == 0) options.once = true;
    if (i + 1 == count) break;
    if (std::strcmp(words[i], "--repetitions") == 0)
      options.repetitions = std::strtoul(words[i + 1], nullptr, 10);
    if (std::strcmp(words[i], "--case") == 0) options.only = words[i + 1];
  }
  if (!gpu_found()) {
    std::puts("no GPU");
    return 77;
  }
  return run(options) ? 0 : 1;
}

// run(case, options, bench, device) for each case that is meant, with a cold L2: whether all
// answers were right.
template <class Case, std::size_t kCases, class Run>
bool run_cases(const Case (&cases)[kCases], const BenchOptions& options, Run run) {
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
    if (options.wants(c.name)) sound = run(c, options, bench, device) && sound;
  return sound;
}

// A program of cases: CaseRun(case, options, bench, device).run() of each that is meant.
template <class CaseRun, class Case, std::size_t kCases>
int bench_cases(int count, char** words, std::size_t repetitions, const Case (&cases)[kCases]) {
  return bench_main(count, words, repetitions, [&](const BenchOptions& all) {
    return run_cases(
        cases, all,
        [](const Case& c, const BenchOptions& options, Bench& bench, const DeviceLimits& device) {
          return CaseRun(c, options, bench, device).run();
        });
  });
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
