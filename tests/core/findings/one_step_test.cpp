// SPDX-License-Identifier: Apache-2.0
// A program that steps its optimizer once has no loop, and is given no advice for one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/findings/all_findings.hpp"
#include "core/steps/steps.hpp"
#include "tests/core/steps/loop_maker.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Findings findings_of(const Trace& trace) {
  const auto steps = find_steps(trace);
  EXPECT_TRUE(steps.ok());
  const auto attribution = attribute(trace, *steps);
  EXPECT_TRUE(attribution.ok());
  return find_all(trace, *steps, *attribution, summarize(trace, *steps, *attribution), {});
}

Trace steps_named(const char* name, int count) {
  LoopMaker loop;
  for (int i = 0; i < count; ++i) {
    loop.kernel("ampere_sgemm_128x64_nn", 300'000);
    loop.now += 500'000'000;
    loop.range(name, [&] { loop.kernel("adam", 100'000); });
    loop.wait();
  }
  return loop.build();
}

TEST(OneStep, WhoseBeginIsAGuessIsGivenNoAdvice) {
  const Findings one = findings_of(steps_named("Optimizer.step#SGD.step", 1));
  EXPECT_TRUE(one.found.empty());
  ASSERT_FALSE(one.abstained.empty());
  for (const NotFound& rule : one.abstained)
    EXPECT_THAT(rule.reason, HasSubstr("its begin is a guess")) << rule.id;
  for (const NotFound& rule : findings_of(steps_named("Optimizer.step#SGD.step", 8)).abstained)
    EXPECT_THAT(rule.reason, Not(HasSubstr("its begin is a guess"))) << rule.id;
}

}  // namespace
}  // namespace stepscope
