// SPDX-License-Identifier: Apache-2.0
// The forecast of a fused step in place of several operations for each of ten parameters.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/core/findings/finding_of_text.hpp"

namespace stepscope::testing {
namespace {

// Each operation takes 3 us, and 5 us lie between two of them.
Finding found_of(const char* optimizer, int operations_each) {
  std::ostringstream text;
  text << "no_device\nrepeat 4 host=2000 device=2000\nstep 0 2000\n"
       << "op t1 0 700 aten::mm at=train.py:10\n"
       << "scope t1 700 2000 Optimizer.step#" << optimizer << ".step\n";
  int at = 705;
  for (int parameter = 0; parameter < 10; ++parameter)
    for (int i = 0; i < operations_each; ++i, at += 8)
      text << "op t1 " << at << ' ' << at + 3 << " aten::kind" << i << "_ at=train.py:14\n";
  text << "end\nexpect found unfused_optimizer train.py:14\n";
  return finding_of_text(text.str(), "unfused_optimizer");
}

double factor_of(const Finding& finding, bool of_computing) {
  for (const Fix& fix : finding.fixes)
    if ((family_of(*fix.scope.cause) == CauseFamily::host_compute) == of_computing)
      return fix.factor;
  ADD_FAILURE() << "no such fix";
  return 0;
}

TEST(UnfusedOptimizer, AFusedStepStillCollectsItsParameters) {
  const Finding adam = found_of("Adam", 10), sgd = found_of("SGD", 3);
  EXPECT_NEAR(factor_of(adam, false), (8 + 1.2 * 10) / 100, 0.001);
  EXPECT_NEAR(factor_of(sgd, false), (8 + 1.2 * 10) / 30, 0.001);
  EXPECT_NEAR(factor_of(adam, true), 1.0 / 3, 0.001);
}

TEST(UnfusedOptimizer, LbfgsKeepsHalfItsHistory) {
  const Finding lbfgs = found_of("LBFGS", 10);
  ASSERT_FALSE(lbfgs.fixes.empty());
  for (const Fix& fix : lbfgs.fixes) {
    EXPECT_DOUBLE_EQ(fix.factor_low, 0.5);
    EXPECT_DOUBLE_EQ(fix.factor_high, 1);
  }
}

}  // namespace
}  // namespace stepscope::testing
