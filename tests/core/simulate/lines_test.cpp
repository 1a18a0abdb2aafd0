// SPDX-License-Identifier: Apache-2.0
// Which tasks of a recorded step a fix's place holds: those that the report shows there.
#include <gtest/gtest.h>

#include <sstream>

#include "core/simulate/fix_reader.hpp"
#include "core/simulate/simulator.hpp"
#include "tests/support/text_trace.hpp"

namespace stepscope {
namespace {

// The mean step without the work of the place.
double without(const char* place, const char* text) {
  testing::TextTrace maker;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const testing::TextLine read = testing::parse_line(line, 1);
    EXPECT_TRUE(read.empty() || maker.add(read)) << line;
  }
  const Trace trace = maker.build();
  const Steps steps = maker.steps();
  const Attribution attribution = attribute(trace, steps).value();
  const auto simulator = Simulator::build(trace, steps, attribution, {0});
  const auto fix = parse_fixes(std::string("drop_work@") + place, trace, attribution);
  EXPECT_TRUE(simulator.ok() && fix.ok());
  return simulator->forecast(*fix).ns_per_step;
}

TEST(PlacesOfTasks, TheWayToAnOperationIsAtItsLine) {
  constexpr const char* kTrace = R"(
no_device
step 0 100
op t1 0 20 aten::mul at=train.py:1
op t1 60 100 aten::add at=train.py:2
)";
  EXPECT_DOUBLE_EQ(without("train.py:2", kTrace), 20e3);
  EXPECT_DOUBLE_EQ(without("train.py:1", kTrace), 80e3);
}

TEST(PlacesOfTasks, GradientsBelongToThePhaseOfTheirForward) {
  constexpr const char* kTrace = R"(
no_device
step 0 100
scope t1 0 20 embed
op t1 0 20 aten::mul seq=7 at=model.py:1
scope t1 20 100 backward
op t1 20 60 "autograd::engine::evaluate_function: MulBackward0" seq=8
node t1 20 40 MulBackward0 seq=7 of=1
op t1 20 40 aten::mul seq=8
op t1 40 60 aten::add_ seq=8
op t1 60 100 aten::sum seq=8 at=train.py:9
)";
  EXPECT_DOUBLE_EQ(without("phase=embed", kTrace), 40e3);
  EXPECT_DOUBLE_EQ(without("model.py:1", kTrace), 40e3);
}

TEST(PlacesOfTasks, WhatRunsAgainIsADirectionOfItsLine) {
  constexpr const char* kTrace = R"(
no_device
step 0 100
op t1 0 20 aten::mm seq=4 at=model.py:8
node t1 20 90 CheckpointFunctionBackward at=train.py:20
op t1 20 50 aten::mm seq=9 at=model.py:8
op t1 50 90 aten::mm at=train.py:20
op t1 90 100 aten::add at=train.py:21
)";
  EXPECT_DOUBLE_EQ(without("direction=recompute", kTrace), 70e3);
  EXPECT_DOUBLE_EQ(without("model.py:8@direction=recompute", kTrace), 70e3);
  EXPECT_DOUBLE_EQ(without("train.py:21@direction=recompute", kTrace), 100e3);
}

}  // namespace
}  // namespace stepscope
