// SPDX-License-Identifier: Apache-2.0
#include "core/support/short_file.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(ShortFile, IsTheNameWithoutFolders) {
  EXPECT_EQ(short_file("/home/me/proj/net.py"), "net.py");
  EXPECT_EQ(short_file("net.py"), "net.py");
  EXPECT_EQ(short_file(""), "");
}

TEST(ShortFile, OfANotebookIsItsCell) {
  EXPECT_EQ(short_file("/tmp/ipykernel_4711/2671474964.py"), "notebook cell 4964");
  EXPECT_EQ(short_file("<ipython-input-12-9a3eb1c0>"), "cell [12]");
  EXPECT_EQ(short_file("/tmp/ipykernel_4711/helpers.py"), "helpers.py");
}

}  // namespace
}  // namespace stepscope
