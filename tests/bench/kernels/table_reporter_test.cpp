// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/table_reporter.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace stepscope::kernels {
namespace {

using OneRun = benchmark::BenchmarkReporter::Run;

OneRun run(const char* name, const char* label) {
  OneRun run;
  run.run_name.function_name = name;
  run.report_label = label;
  return run;
}
OneRun timed(const char* name, const char* label) {
  OneRun made = run(name, label);
  made.counters = {
      {"median_us", 43.25}, {"p99_us", 44.5}, {"least_us", 42}, {"GB", 0.1}, {"TB/s", 2.3}};
  return made;
}
OneRun timed(const char* name, const char* label, const char* ratio) {
  OneRun made = timed(name, label);
  made.counters[ratio] = 1.25;
  return made;
}
std::string printed(const std::vector<OneRun>& runs, const TableReporter::Notes& notes = {}) {
  std::ostringstream out;
  TableReporter table(notes);
  table.SetOutputStream(&out);
  for (const OneRun& one : runs) table.ReportRuns({one});
  return out.str();
}

TEST(TableReporter, HeadsEachCaseOnce) {
  EXPECT_EQ(printed({timed("bf16/cold", "sound", "to_read"), timed("bf16/warm", "", "to_read"),
                     timed("F4096/dense", "", "of_copy")},
                    {{"bf16", "K = 5"}}),
            R"(
bf16
K = 5
                                              median us     p99 us   least us       GB     TB/s  to read
cold: sound
cold                                              43.25      44.50      42.00    0.100    2.300    1.250
warm                                              43.25      44.50      42.00    0.100    2.300    1.250

F4096
                                              median us     p99 us   least us       GB     TB/s  of copy
dense                                             43.25      44.50      42.00    0.100    2.300   125.0%
)");
}

TEST(TableReporter, LeavesTheRatioOutWhereThereIsNone) {
  EXPECT_EQ(printed({timed("bf16/warm", "", "to_read"), timed("bf16/written, warm", "sound")}), R"(
bf16
                                              median us     p99 us   least us       GB     TB/s  to read
warm                                              43.25      44.50      42.00    0.100    2.300    1.250
written, warm: sound
written, warm                                     43.25      44.50      42.00    0.100    2.300
)");
}

TEST(TableReporter, SaysWhatRanUntimedAndWhatFailed) {
  OneRun wrong = run("bf16/cold", "");
  wrong.error_occurred = true;
  wrong.error_message = "WRONG at sample 3";
  EXPECT_EQ(printed({run("bf16/warm", "sound"), run("bf16/bare", ""), wrong}),
            "\nbf16\nwarm: sound\nbare: ran\ncold: WRONG at sample 3\n");
}

TEST(TableReporter, ShowsAggregates) {
  OneRun mean = timed("bf16/warm", "sound", "to_read");
  mean.run_type = OneRun::RT_Aggregate;
  mean.aggregate_name = "mean";
  EXPECT_NE(printed({mean}).find("\nwarm, mean   "), std::string::npos);
}

}  // namespace
}  // namespace stepscope::kernels
