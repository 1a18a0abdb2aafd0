// SPDX-License-Identifier: Apache-2.0
// A run of a program: the device memory that is held at a time, and the turns of each way. Nothing
// on the device is touched before the first turn.
#pragma once

#include <benchmark/benchmark.h>

#include <optional>

#include "tests/bench/kernels/bench_main.hpp"
#include "tests/bench/kernels/flags.hpp"
#include "tests/bench/kernels/table_reporter.hpp"

namespace stepscope::kernels {

class Session {
 public:
  Session(const BenchProgram& program, const BenchFlags& flags)
      : program_(program), flags_(flags) {}

  // In the order of cases and ways. This must outlive their runs.
  void register_benchmarks();
  bool sound() const { return sound_; }
  const TableReporter::Notes& notes() const { return notes_; }

 private:
  using Body = std::function<void(benchmark::State&)>;
  void add(const BenchCase& c, const std::string& name, const Body& body);
  void add_reads(const BenchCase& c);
  void add_way(const BenchCase& c, const Way& way, bool graph);

  void begin(const BenchCase& c);
  std::string note() const;
  ColdTimer& timer();

  void take(benchmark::State& state, const Work& work, bool graph);
  void call(const Work& work, const Enqueue& enqueue);
  // best_read_us: 0 where there is none.
  void report(benchmark::State& state, const std::vector<double>& times_us, double bytes,
              double best_read_us);
  void fail(benchmark::State& state, const std::string& message);

  const BenchProgram& program_;
  const BenchFlags flags_;
  bool sound_ = true;
  TableReporter::Notes notes_;
  std::optional<Stream> stream_;
  std::optional<ColdTimer> timer_;
  double copy_terabytes_ = 0;
  const BenchCase* current_ = nullptr;
  std::unique_ptr<CaseMemory> memory_;
  std::optional<Reads> reads_;  // reads of memory_
};

}  // namespace stepscope::kernels
