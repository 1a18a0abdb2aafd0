// SPDX-License-Identifier: Apache-2.0
#include "core/symbols/source_texts.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <limits>

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr std::int64_t kLater = std::numeric_limits<std::int64_t>::max();

class SourceTextsTest : public testing::Test {
 protected:
  SourceTextsTest() {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "train.py") << "import torch\n\n    loss.backward()  \n)\nopt.step()";
  }
  ~SourceTextsTest() override { fs::remove_all(folder_); }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("source_texts" + std::to_string(::getpid()));
};

TEST_F(SourceTextsTest, KeepTheRecordedLinesAndAHashOfEach) {
  const SourceTexts kept = capture_sources({{"train.py", {{3, 5, 99}, kLater}}}, folder_);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].file, "train.py");
  EXPECT_THAT(kept[0].lines, ElementsAre(Pair(3, "loss.backward()"), Pair(5, "opt.step()")));
  EXPECT_THAT(kept[0].hashes,
              ElementsAre(hash_of_line("import torch"), 0U, hash_of_line("loss.backward()"), 0U,
                          hash_of_line("opt.step()")));
}

TEST_F(SourceTextsTest, AFileThatChangedSinceIsNotWhatRan) {
  EXPECT_THAT(capture_sources({{"train.py", {{3}, 1'000'000'000}}}, folder_), IsEmpty());
}

TEST_F(SourceTextsTest, WhatIsNotThereOrALibrarysIsLeftOut) {
  EXPECT_THAT(capture_sources({{"<string>", {{1}, kLater}},
                               {"gone.py", {{1}, kLater}},
                               {"/usr/lib/python3.11/queue.py", {{1}, kLater}},
                               {"/venv/lib/python3.11/site-packages/torch/nn.py", {{1}, kLater}},
                               {"", {{1}, kLater}}},
                              folder_),
              IsEmpty());
}

TEST_F(SourceTextsTest, AreReadAsTheyWereWritten) {
  SourceTexts sources = capture_sources({{"train.py", {{3}, kLater}}}, folder_);
  sources.push_back({.file = "läuft.py", .hashes = {}, .lines = {{7, "x = \"a\\b\""}}});
  ASSERT_TRUE(write_sources(folder_ / kSourcesFile, sources).ok());
  EXPECT_EQ(sources_of_run(folder_), sources);
}

TEST_F(SourceTextsTest, ADamagedFileIsNamedAndARunWithoutOneHasNone) {
  EXPECT_THAT(sources_of_run(folder_), IsEmpty());
  std::ofstream(folder_ / kSourcesFile)
      << R"({"schema": "stepscope.sources/1", "files": [{"file": "a", "hashes": "12", "lines": {}}]})";
  const Result<SourceTexts> read = read_sources(folder_ / kSourcesFile);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr("sources.json"));
  EXPECT_THAT(sources_of_run(folder_), IsEmpty());
}

TEST(HashOfLine, IndentationIsNoChangeAndBracketsSayNothing) {
  EXPECT_EQ(hash_of_line("  x = 1\r"), hash_of_line("x = 1"));
  EXPECT_NE(hash_of_line("x = 1"), hash_of_line("x = 2"));
  EXPECT_EQ(hash_of_line("   ) }, "), 0U);
  EXPECT_NE(hash_of_line("δ"), 0U);
}

TEST(KeptText, ALongLineIsCutBetweenCharacters) {
  const std::string kept = kept_text(std::string(199, 'a') + "δδδδ");
  EXPECT_EQ(kept, std::string(199, 'a') + "...");
}

}  // namespace
}  // namespace stepscope
