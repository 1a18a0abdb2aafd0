// SPDX-License-Identifier: Apache-2.0
// A small step on a CPU that also runs Python for long: fewer operations make only the way between
// them shorter, and compiling has a cost of its own. Times are in us.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/core/findings/finding_of_text.hpp"

namespace stepscope::testing {
namespace {

constexpr int kRepeats = 8, kStepUs = 1000, kLength = 4, kWay = 10;

std::string small_steps(int operations) {
  std::ostringstream out;
  out << "no_device\nrepeat " << kRepeats << " host=" << kStepUs << " device=" << kStepUs
      << "\nstep 0 " << kStepUs << '\n';
  for (int i = 0; i < operations; ++i) {
    const int begin = i * (kLength + kWay);
    out << "op t1 " << begin << ' ' << begin + kLength << " aten::mm at=train.py:12\n";
  }
  out << "end\nexpect found launch_bound train.py:12\n";
  return out.str();
}

double factor_of(int operations) {
  const Finding found = finding_of_text(small_steps(operations), "launch_bound");
  EXPECT_EQ(found.fixes.size(), 1U);
  return found.fixes.empty() ? 0 : found.fixes.front().factor;
}

TEST(Overhead, OnlyTheWayBetweenOperationsBecomesShorter) {
  constexpr int kOperations = 40;
  const Finding found = finding_of_text(small_steps(kOperations), "launch_bound");
  ASSERT_EQ(found.fixes.size(), 1U);
  const double between = found.caused_ns_per_step / 1000;
  const double all_of_it = kStepUs - kOperations * kLength;
  EXPECT_NEAR(found.fixes.front().factor, 1 - (0.7 - 12.0 / kOperations) * between / all_of_it,
              0.02);
}

// A compiled step takes as long on its way as some operations do.
TEST(Overhead, CompilingAStepOfFewOperationsGainsNothing) {
  EXPECT_EQ(factor_of(12), 1);
  EXPECT_LT(factor_of(40), 1);
}

}  // namespace
}  // namespace stepscope::testing
