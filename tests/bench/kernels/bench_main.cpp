// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/bench_main.hpp"

#include "tests/bench/kernels/session.hpp"
#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {
namespace {

BenchHelp help_of(const BenchProgram& program) {
  BenchHelp help{program.about, {}};
  for (const BenchCase& c : program.cases) help.cases.push_back(c.name);
  return help;
}

void name_device_in_context() {
  cudaDeviceProp device{};
  if (gpu_found() && cudaGetDeviceProperties(&device, 0) == cudaSuccess)
    benchmark::AddCustomContext("device", device.name);
}

// The table, where --benchmark_format names nothing else.
benchmark::BenchmarkReporter* shown_by(TableReporter& table) {
  benchmark::BenchmarkReporter* named = benchmark::CreateDefaultDisplayReporter();
  return dynamic_cast<benchmark::ConsoleReporter*>(named) != nullptr ? &table : named;
}

}  // namespace

int bench_main(int argc, char** argv, const BenchProgram& program) {
  BenchFlags flags{program.repetitions};
  if (const std::optional<int> status = read_flags(argc, argv, help_of(program), &flags))
    return *status;
  name_device_in_context();
  Session session(program, flags);
  session.register_benchmarks();
  TableReporter table(session.notes());
  const bool some = benchmark::RunSpecifiedBenchmarks(shown_by(table)) > 0;
  if (!some) return 2;  // said by Google Benchmark
  return session.sound() ? 0 : 1;
}

}  // namespace stepscope::kernels
