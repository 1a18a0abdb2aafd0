// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/first_line.hpp"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace stepscope::trainers {
namespace {

TEST(FirstLine, LeavesOutTheStackOfLibTorch) {
  try {
    TORCH_CHECK(false, "a bad rate");
  } catch (const std::exception& thrown) {
    EXPECT_NE(std::string(thrown.what()), "a bad rate") << "there is nothing to leave out";
    EXPECT_EQ(first_line(thrown), "a bad rate");
  }
}

TEST(FirstLine, IsTheFirstThatSaysAnything) {
  EXPECT_EQ(first_line(std::runtime_error("all")), "all");
  EXPECT_EQ(first_line(std::runtime_error("\n\nsecond\nthird")), "second");
  EXPECT_EQ(first_line(std::runtime_error("\n")), "an exception without a message");
}

}  // namespace
}  // namespace stepscope::trainers
