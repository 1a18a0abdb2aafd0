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

// Five passes over two tables: four in place of 100 us each, and one named by `fifth`, of 300 us.
Finding found_in_tables(const char* fifth) {
  std::ostringstream text;
  text << "no_device\nrepeat 4 host=2000 device=2000\nstep 0 2000\n"
       << "op t1 0 300 aten::mm at=train.py:10\n"
       << "scope t1 300 2000 Optimizer.step#Adam.step\n";
  int at = 305;
  for (int table = 0; table < 2; ++table) {
    for (int i = 0; i < 4; ++i, at += 110)
      text << "op t1 " << at << ' ' << at + 100 << " aten::kind" << i << "_ at=train.py:14\n";
    text << "op t1 " << at << ' ' << at + 300 << ' ' << fifth << " at=train.py:14\n";
    at += 310;
  }
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

TEST(UnfusedOptimizer, AFusedStepMakesNoNewTensors) {
  const double passes_kept = 2.0 / (1 + 5);
  EXPECT_NEAR(factor_of(found_in_tables("aten::sqrt_"), true), passes_kept, 0.001);
  // 400 of 1,400 us are the memory of what sqrt makes.
  const Finding found = found_in_tables("aten::sqrt");
  EXPECT_NEAR(factor_of(found, true), passes_kept * 1000 / 1400, 0.001);
  // Clearing it can slow the product before, which is the only work of another phase.
  const Fix& elsewhere = found.fixes.back();
  EXPECT_EQ(elsewhere.scope.cause, Cause::host_compute_gemm);
  EXPECT_DOUBLE_EQ(elsewhere.factor, 1);
  EXPECT_DOUBLE_EQ(elsewhere.factor_high, 1);
  EXPECT_NEAR(elsewhere.factor_low, 1 - 0.35 * 400 / 300, 0.01);
}

TEST(UnfusedOptimizer, AFusedStepKeepsProducts) {
  // 600 of 1,400 us are products; four passes over the rest become one.
  EXPECT_NEAR(factor_of(found_in_tables("aten::mm"), true), (600 + 800 * 2.0 / 5) / 1400, 0.001);
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
