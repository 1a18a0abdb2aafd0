// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/output/output.hpp"
#include "cli/output/progress_bar.hpp"
#include "core/support/words.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

TEST(Suggestion, IsTheNearestWithinReach) {
  const std::vector<std::string_view> verbs = {"profile", "report", "train"};
  EXPECT_EQ(nearest("reprot", verbs), "report");
  EXPECT_EQ(nearest("profil", verbs), "profile");
  EXPECT_EQ(nearest("trian", verbs), "train");
  EXPECT_EQ(nearest("gate", verbs), "");
  EXPECT_EQ(nearest("", verbs), "");
}

TEST(OutputFile, AppearsWholeOrNotAtAll) {
  const Folder folder;
  {
    const auto dropped = Output::open(folder.at("report"));
    ASSERT_TRUE(dropped.ok());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  auto kept = Output::open(folder.at("report"));
  ASSERT_TRUE(kept->finish("text").ok());
  EXPECT_EQ(read_file(folder.at("report")), "text");
}

// Returns what the bar wrote to a file in place of stderr.
std::string drawn(bool terminal, std::chrono::milliseconds after, std::uint64_t total) {
  const Folder folder;
  std::FILE* file = std::fopen(folder.at("bar").c_str(), "w");
  {
    ProgressBar bar("reading", terminal, file);
    bar.update(500'000, total, ProgressBar::Clock::now() + after);
  }
  std::fclose(file);
  return read_file(folder.at("bar"));
}

TEST(ProgressBarOnStderr, ShowsOnlyOnATerminalAndOnlyAfterASecond) {
  using std::chrono::milliseconds;
  EXPECT_EQ(drawn(false, milliseconds(5000), 1'000'000), "");
  EXPECT_EQ(drawn(true, milliseconds(10), 1'000'000), "");
  const std::string bar = drawn(true, milliseconds(2000), 1'000'000);
  EXPECT_NE(bar.find("50 %"), std::string::npos);
  EXPECT_TRUE(bar.ends_with("\r\x1b[K")) << "wiped at the end";
  EXPECT_NE(drawn(true, milliseconds(2000), 0).find("0 MB"), std::string::npos);
}

TEST(SharedProgress, IsTheSumOfBothPieces) {
  std::vector<std::uint64_t> told;
  SharedProgress shared([&told](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 2000U);
    told.push_back(done);
  });
  const Progress first = shared.part(0), second = shared.part(1);
  first(5, 10), second(1, 4), first(10, 10), second(3, 0), second(9, 4);
  EXPECT_EQ(told, (std::vector<std::uint64_t>{500, 750, 1250, 1000, 2000}));
  EXPECT_FALSE(SharedProgress({}).part(0)) << "nobody to tell";
}

TEST(Terminal, ColourNeedsATerminalAndNoObjection) {
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_TRUE(style_for(true).colour);
  EXPECT_FALSE(style_for(false).colour);
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(style_for(true).colour);
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(style_for(true).colour);
}

}  // namespace
}  // namespace stepscope
