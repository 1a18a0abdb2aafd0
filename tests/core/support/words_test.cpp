// SPDX-License-Identifier: Apache-2.0
#include "core/support/words.hpp"

#include <gtest/gtest.h>
#include <stdio.h>

#include <array>
#include <string_view>
#include <vector>

namespace stepscope {
namespace {

std::string as_the_shell_reads(const std::string& word) {
  FILE* pipe = popen(("printf %s " + shell_word(word)).c_str(), "r");
  std::array<char, 256> text{};
  const std::size_t bytes = fread(text.data(), 1, text.size(), pipe);
  pclose(pipe);
  return {text.data(), bytes};
}

TEST(ShellWord, IsReadAsItWasMeant) {
  for (const char* word : {"run.scope", "a b", "it's", "$HOME", "a;b", "~x", "läuft 1.scope", "*",
                           "back\\slash", "`id`", "new\nline", "(1)", "a=b"})
    EXPECT_EQ(as_the_shell_reads(word), word);
}

TEST(ShellWord, IsPlainWhereItNeedsNoQuotes) {
  for (const char* word : {"runs/a-1_b.scope", "läuft.scope", "/x/y.json", "a=b,c@d"})
    EXPECT_EQ(shell_word(word), word);
  EXPECT_EQ(shell_word("my dir/x.scope"), "'my dir/x.scope'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(EndsWithPath, TakesWholePartsOfAPath) {
  EXPECT_TRUE(ends_with_path("src/train.py:88", "train.py:88"));
  EXPECT_TRUE(ends_with_path("src/train.py", "src/train.py"));
  EXPECT_FALSE(ends_with_path("src/train.py", "rain.py"));
  EXPECT_FALSE(ends_with_path("train.py", "src/train.py"));
  EXPECT_FALSE(ends_with_path("train.py", ""));
}

TEST(Nearest, IsTheNameThatBeginsSoOrDiffersLeast) {
  const std::vector<std::string_view> names = {"host.io", "host.off_cpu", "host_sync", "hotspot"};
  EXPECT_EQ(nearest("host.of", names), "host.off_cpu");
  EXPECT_EQ(nearest("HOST_SYNC", names), "host_sync");
  EXPECT_EQ(nearest("hostsync", names), "host_sync");
  EXPECT_EQ(nearest("ho", names), "");
  EXPECT_EQ(nearest("another", names), "");
}

}  // namespace
}  // namespace stepscope
