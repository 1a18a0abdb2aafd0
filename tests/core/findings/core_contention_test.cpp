// SPDX-License-Identifier: Apache-2.0
// The advice to a loop that waits for cores names the machine's cores and the loader's workers.
#include <gtest/gtest.h>

#include <string>

#include "tests/core/findings/finding_of_text.hpp"

namespace stepscope::testing {
namespace {

// The thread waits 0.4 ms of each millisecond for a core.
std::string waiting_loop(const std::string& machine) {
  return machine +
         "no_device\nrepeat 4 host=1000 device=1000\nstep 0 1000\n"
         "op t1 0 1000 aten::mm at=train.py:10\nend\ncpu t1 0 0\ncpu t1 4000 2400\n"
         "counter thread_wait.1 0 0\ncounter thread_wait.1 4000 1600000\n"
         "expect found core_contention train.py:10\n";
}

std::string hint_on(const std::string& machine) {
  return finding_of_text(waiting_loop(machine), "core_contention").code_hint;
}

TEST(CoreContention, NamesFewerThreadsOnlyWherePyTorchComputesWithMore) {
  EXPECT_EQ(hint_on("process p0 cores=8 torch=2.11.0 threads=16\n"), "torch.set_num_threads(8)");
  EXPECT_EQ(hint_on("process p0 cores=8 torch=2.11.0 threads=8\n"), "");
  EXPECT_EQ(hint_on("process p0 cores=8 torch=2.11.0\n"), "");
  EXPECT_EQ(hint_on("process p0 cores=8 threads=16\n"), "");
}

TEST(CoreContention, NamesNoNumberWhereTheCoresAreNotKnown) {
  EXPECT_EQ(hint_on(""), "");
}

}  // namespace
}  // namespace stepscope::testing
