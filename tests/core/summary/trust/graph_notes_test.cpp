// SPDX-License-Identifier: Apache-2.0
#include "core/summary/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/summary/simple_steps.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(SummaryGraphs, GraphWorkWithoutItsCaptureIsSaidWithItsShare) {
  SimpleSteps s;
  s.step(100);
  s.attribution.graphs = {.ops = 200, .ops_without_capture = 0};
  EXPECT_THAT(s.sum().trust.notes, Not(Contains(HasSubstr("CUDA graphs"))));
  SimpleSteps without;
  without.step(100);
  without.attribution.graphs = {.ops = 200, .ops_without_capture = 3};
  EXPECT_THAT(without.sum().trust.notes,
              Contains(HasSubstr("3 of 200 device ops of CUDA graphs (1.5 %)")));
}

std::vector<std::string> notes_of_whole_graphs() {
  SimpleSteps s;
  s.step(100);
  s.make.call("cudaGraphLaunch", 1, 10, 20, 1);
  const DeviceOpId op = s.make.kernel("CUDA graph 3", 7, 30, 60, 1);
  s.make.data.device_ops.kind[op] = DeviceOpKind::graph;
  s.attribution.ops.resize(1);
  return s.sum().trust.notes;
}

TEST(SummaryGraphs, GraphsThatAreOneOpSaySo) {
  EXPECT_THAT(
      notes_of_whole_graphs(),
      Contains("1 launches of CUDA graphs are one op each: what ran inside is not recorded"));
}

// The last launch may still have been running when the record ended.
TEST(SummaryGraphs, GraphLaunchesWithoutDeviceRecordsAreSaid) {
  SimpleSteps s;
  s.step(100);
  for (std::uint32_t i = 1; i <= 4; ++i)
    s.make.call("cudaGraphLaunch", 1, i * 1000, i * 1000 + 10, i);
  s.make.kernel("k", 7, 1100, 1200, 1);
  s.make.kernel("k", 7, 3100, 3200, 3);
  s.attribution.ops.resize(2);
  EXPECT_THAT(s.sum().trust.notes,
              Contains(HasSubstr("1 of 3 launches of CUDA graphs left no device record")));
}

}  // namespace
}  // namespace stepscope
