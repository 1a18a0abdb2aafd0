// SPDX-License-Identifier: Apache-2.0
#include "core/gate/metric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/gate/sample_runs.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

double value(const char* name, const Summary& run) {
  const auto metric = parse_metric(name);
  return metric ? value_of(*metric, run).value_or(-1) : -2;
}

TEST(Metric, IsAStepsShareOfTheRun) {
  const Summary run = gate_samples::run({.step_ms = 40, .kernels = 100, .syncs = 2});
  EXPECT_DOUBLE_EQ(value("step_time", run), 40e6);
  EXPECT_DOUBLE_EQ(value("step_time_p90", run), 40e6);
  EXPECT_DOUBLE_EQ(value("kernels", run), 101);
  EXPECT_DOUBLE_EQ(value("host_syncs", run), 2);
  EXPECT_DOUBLE_EQ(value("phase:topk", run), 4e6);
  EXPECT_DOUBLE_EQ(value("cause:host.sync_return", run), 200'000);
  EXPECT_DOUBLE_EQ(value("cause:host.gc", run), 0);
  EXPECT_DOUBLE_EQ(value("device_busy", run), 39.8e6);
  EXPECT_DOUBLE_EQ(value("allocations", run), -1) << "was not recorded";
  EXPECT_DOUBLE_EQ(value("phase:eval", run), -1) << "is not there";
}

TEST(Metric, APhaseIsFoundByPathOrName) {
  Summary run = gate_samples::run({.steps = 10});
  run.phases = {{"eval", "", "eval", 0, 100},
                {"topk", "eval", "eval/topk", 1, 30},
                {"step", "", "step", 0, 900},
                {"topk", "step", "step/topk", 1, 50},
                {"topk", "topk", "step/topk/topk", 2, 20}};
  EXPECT_DOUBLE_EQ(value("phase:eval/topk", run), 3);
  EXPECT_DOUBLE_EQ(value("phase:topk", run), 8) << "an inner one is part of the outer one";
}

TEST(Metric, AnUnknownNameIsAnErrorWithTheNearest) {
  const auto message = [](const char* name) { return parse_metric(name).error().message; };
  EXPECT_EQ(message("kernals"), "'kernals' is no metric; did you mean 'kernels'?");
  EXPECT_THAT(message("speed"), HasSubstr("there are kernels, launches"));
  EXPECT_EQ(message("cause:gpu.gem"), "'gpu.gem' is no cause; did you mean 'cause:gpu.gemm'?");
  EXPECT_FALSE(parse_metric("phase:").ok());
  EXPECT_FALSE(parse_metric("").ok());
  EXPECT_EQ(parse_metric("step_tme").error().code, ErrorCode::usage);
}

}  // namespace
}  // namespace stepscope
