// SPDX-License-Identifier: Apache-2.0
// Prints benchmarks named CASE/WAY as a table a case: what the judgement says, then a line of the
// counters median_us, p99_us, least_us, GB, TB/s, and to_read, of_copy or neither. One without
// counters has its judgement alone.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace stepscope::kernels {

class TableReporter : public benchmark::BenchmarkReporter {
 public:
  // By case: what is printed below its name. Read when the case's first line is.
  using Notes = std::map<std::string, std::string>;
  explicit TableReporter(const Notes& notes) : notes_(notes) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  void begin_case(const std::string& name);
  void print(const std::string& what, const Run& run);
  void print_header(const benchmark::UserCounters& counters);  // where there is none yet
  void print_row(const std::string& what, const benchmark::UserCounters& counters);

  const Notes& notes_;
  std::string case_;
  bool has_header_ = false;
};

}  // namespace stepscope::kernels
