// SPDX-License-Identifier: Apache-2.0
// The advice about element-wise operations on a CPU speaks of torch.no_grad() only where the
// operations make nodes for a backward pass.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/core/findings/finding_of_text.hpp"

namespace stepscope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Each operation reads a counter of nodes that goes on by `nodes` with each of them.
std::string fix_where_each_operation_makes(unsigned nodes) {
  std::string text = "no_device\n";
  for (unsigned step = 0; step < 4; ++step)
    text += fmt::format(
        "step {0} {1}\nop t1 {0} {2} aten::mm at=train.py:10 seq={3}\n"
        "op t1 {2} {1} aten::gelu at=train.py:11 seq={4}\n",
        step * 1000, step * 1000 + 1000, step * 1000 + 600, 7 + 2 * step * nodes,
        7 + (2 * step + 1) * nodes);
  return finding_of_text(text + "expect found hotspot train.py:11\n", "hotspot").fix;
}

TEST(Hotspot, AdvisesNoGradWhereNodesAreMade) {
  EXPECT_THAT(fix_where_each_operation_makes(1), HasSubstr("torch.no_grad()"));
}

TEST(Hotspot, DoesNotAdviseNoGradUnderNoGrad) {
  EXPECT_THAT(fix_where_each_operation_makes(0), Not(HasSubstr("torch.no_grad()")));
}

}  // namespace
}  // namespace stepscope::testing
