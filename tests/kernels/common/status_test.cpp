// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/status.hpp"

#include <gtest/gtest.h>

namespace stepscope::kernels {
namespace {

TEST(Status, NamesTheArgument) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().message(), "");
  const Status bad = Status::bad_argument("rows", "must be 0 or more");
  EXPECT_FALSE(bad.ok());
  EXPECT_STREQ(bad.where(), "rows");
  EXPECT_EQ(bad.message(), "rows: must be 0 or more");
}

}  // namespace
}  // namespace stepscope::kernels
