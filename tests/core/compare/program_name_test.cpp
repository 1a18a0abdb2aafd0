// SPDX-License-Identifier: Apache-2.0
#include "core/compare/commands.hpp"

#include <gtest/gtest.h>

namespace stepscope::compare_parts {
namespace {

TEST(ProgramName, IsTheScriptTheModuleOrTheExecutable) {
  EXPECT_EQ(program_name("python3 -u examples/train.py --steps 5"), "train");
  EXPECT_EQ(program_name("torchrun --nproc-per-node 2 /a/train.py"), "train");
  EXPECT_EQ(program_name("/usr/bin/python3.11 -m lab.train --steps 5"), "lab.train");
  EXPECT_EQ(program_name("./build/train_clt --steps 5"), "train_clt");
}

TEST(ProgramName, OfAnInterpreterAloneIsUnknown) {
  for (const char* command : {"", " ", "python3", "python -c pass", "bash", "python -m"})
    EXPECT_EQ(program_name(command), "") << command;
}

TEST(ProgramName, LikeNamesBeginAlike) {
  EXPECT_TRUE(are_alike("train", "train_fused"));
  EXPECT_TRUE(are_alike("train_slow", "train_fast"));
  EXPECT_FALSE(are_alike("train", "infer"));
  EXPECT_FALSE(are_alike("m5", "m6"));
}

}  // namespace
}  // namespace stepscope::compare_parts
