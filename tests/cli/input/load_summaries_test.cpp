// SPDX-License-Identifier: Apache-2.0
#include "cli/input/load_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

const std::string kData = STEPSCOPE_SOURCE_DIR "/tests/data/kineto/";
const std::string kBefore = kData + "sync_mask_norms.bad.json.gz";
const std::string kAfter = kData + "sync_mask_norms.fixed.json.gz";

TEST(LoadSummaries, AreThoseOfOneByOneInTheOrderGiven) {
  const std::vector<std::string> paths = {kAfter, kBefore, kAfter};
  const auto all = load_summaries(paths, {});
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    ASSERT_TRUE(all[i].ok());
    const auto alone = load_summary(paths[i]);
    EXPECT_EQ(all[i]->run.path, paths[i]);
    EXPECT_EQ(all[i]->partition.wall_ns_total, alone->partition.wall_ns_total);
    EXPECT_EQ(all[i]->cells.size(), alone->cells.size());
  }
  EXPECT_TRUE(load_summaries({}, {}).empty());
}

TEST(LoadSummaries, EndAtTheFirstThatCannotBeRead) {
  const std::vector<std::string> bad_second = {kAfter, "no_such.scope", kBefore};
  ASSERT_EQ(load_summaries(bad_second, {}).size(), 2U);
  EXPECT_FALSE(load_summaries(bad_second, {}).back().ok());
  const std::vector<std::string> bad_first = {"no_such.scope", kAfter};
  EXPECT_EQ(load_summaries(bad_first, {}).size(), 1U);
}

TEST(LoadSummaries, ReckonTheMemoryOfEachKind) {
  const Folder folder;
  std::ofstream(folder.at("plain.json")) << std::string(1000, ' ');
  EXPECT_EQ(bytes_to_read(folder.at("plain.json")), 8'000U);
  std::filesystem::create_directory(folder.at("run.scope"));
  std::ofstream(folder.at("run.scope/1.sst")) << std::string(1000, ' ');
  std::ofstream(folder.at("run.scope/run.json")) << "{}";
  EXPECT_EQ(bytes_to_read(folder.at("run.scope")), 100'000U);
  EXPECT_EQ(bytes_to_read(kBefore), 100 * std::filesystem::file_size(kBefore));
  EXPECT_EQ(bytes_to_read("no_such.scope"), 0U);
}

// taskset leaves one core: the sides are read one after the other.
TEST(DiffVerb, IsTheSameHoweverManyCoresThereAre) {
  const std::string words = "diff --format json " + kBefore + " " + kAfter;
  const RunOutcome on_all = run_stepscope(words);
  const RunOutcome on_one = run_stepscope(words,
                                          "taskset -c \"$(taskset -cp $$ | grep -o '[0-9]*' | "
                                          "tail -1)\"");
  ASSERT_EQ(on_all.status, 0) << on_all.err;
  EXPECT_EQ(on_all.out, on_one.out);
}

}  // namespace
}  // namespace stepscope
