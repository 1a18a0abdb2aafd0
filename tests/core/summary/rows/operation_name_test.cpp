// SPDX-License-Identifier: Apache-2.0
#include "core/summary/rows/operation_rows.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(OperationName, NumbersOfARangeDoNotTellStepsApart) {
  EXPECT_EQ(operation_name("step 12", true), "step #");
  EXPECT_EQ(operation_name("ProfilerStep#7", true), "ProfilerStep#");
  EXPECT_EQ(operation_name("layer 3 of 40", true), "layer # of #");
}

TEST(OperationName, NumbersOfAKernelTellItApart) {
  EXPECT_EQ(operation_name("gemm_128x64", false), "gemm_128x64");
}

TEST(OperationName, AddressesAreLeftOut) {
  EXPECT_EQ(
      operation_name("<built-in method astype of numpy.ndarray object at 0x7fdfbd6c1a10>", false),
      "<built-in method astype of numpy.ndarray object>");
  EXPECT_EQ(operation_name(" at 0x", false), "");
}

TEST(OperationName, TheLineOfAPythonFunctionIsLeftOut) {
  EXPECT_EQ(operation_name("train.py(147): load", false), "train.py: load");
  EXPECT_EQ(operation_name("f(a): b", false), "f(a): b");
  EXPECT_EQ(operation_name("(12): b", false), ": b");
  EXPECT_EQ(operation_name("): ", false), "): ");
}

}  // namespace
}  // namespace stepscope
