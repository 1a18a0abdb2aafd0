// SPDX-License-Identifier: Apache-2.0
// Baselines kept by name: what is saved is gated against, and nothing is lost or half written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

const std::string kKept = STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz";
const std::string kOther = STEPSCOPE_SOURCE_DIR "/tests/data/kineto/collate_tokens.fixed.json.gz";

class BaselineVerb : public testing::Test {
 protected:
  RunOutcome baseline(const std::string& action, const std::string& more = "") {
    return run_stepscope("baseline " + action + " --dir " + folder_.at("kept") + " " + more);
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.at("kept")), {}));
  }
  Folder folder_;
};

TEST_F(BaselineVerb, KeepsReportsUnderANameAndTheGateTakesIt) {
  EXPECT_EQ(baseline("save main", kKept).status, 0);
  EXPECT_EQ(entries(), 1U) << "no temporary folder is left";
  EXPECT_THAT(baseline("list").out, HasSubstr("main  1 run\n"));
  EXPECT_THAT(baseline("show main").out, HasSubstr("1.json  3 steps of "));
  const RunOutcome gate = run_stepscope("gate --baselines " + folder_.at("kept") +
                                        " --baseline main --candidate " + kKept);
  EXPECT_EQ(gate.status, 3) << gate.err << "the same recording says nothing about time";
  EXPECT_THAT(gate.out, HasSubstr("kept/main/1.json"));
  const RunOutcome by_folder =
      run_stepscope("gate --baseline " + folder_.at("kept") + "/main --candidate " + kKept);
  EXPECT_EQ(by_folder.status, 3) << by_folder.err;
  EXPECT_EQ(baseline("rm main").status, 0);
  EXPECT_EQ(entries(), 0U);
}

TEST_F(BaselineVerb, ADocumentIsKeptAsItIs) {
  const std::string document = folder_.at("report.json");
  run_stepscope("report --format json -o " + document + " " + kKept);
  EXPECT_EQ(baseline("save main", document).status, 0);
  EXPECT_EQ(read_file(folder_.at("kept") + "/main/1.json"), read_file(document));
}

TEST_F(BaselineVerb, IsReplacedOnlyWhenAskedAndThenWhole) {
  ASSERT_EQ(baseline("save main", kKept + " " + kOther).status, 0);
  const RunOutcome again = baseline("save main", kOther);
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("baseline 'main' exists; --force replaces it"));
  EXPECT_THAT(baseline("list").out, HasSubstr("main  2 runs"));
  EXPECT_EQ(baseline("save main --force", kOther).status, 0);
  EXPECT_THAT(baseline("list").out, HasSubstr("main  1 run\n"));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(BaselineVerb, ARunThatCannotBeReadLeavesTheOldOne) {
  ASSERT_EQ(baseline("save main", kKept).status, 0);
  const RunOutcome damaged = baseline("save main --force", kOther + " /nowhere.json");
  EXPECT_EQ(damaged.status, 4);
  EXPECT_THAT(damaged.err, HasSubstr("/nowhere.json"));
  EXPECT_THAT(baseline("list").out, HasSubstr("main  1 run\n"));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(BaselineVerb, NamesAreNamesAndUnknownOnesAreNamed) {
  for (const char* wrong : {"../out", ".hidden", "a/b", "''", "'a b'"})
    EXPECT_EQ(baseline("save " + std::string(wrong), kKept).status, 2) << wrong;
  ASSERT_EQ(baseline("save main", kKept).status, 0);
  EXPECT_THAT(baseline("show mian").err, HasSubstr("did you mean 'main'?"));
  EXPECT_EQ(baseline("rm mian").status, 4);
  EXPECT_EQ(baseline("").status, 2) << "save, list, show or rm";
  EXPECT_EQ(run_stepscope("baseline list --dir " + folder_.at("empty")).status, 0);
}

TEST_F(BaselineVerb, AFolderWithoutReportsIsNoRun) {
  std::filesystem::create_directory(folder_.at("empty"));
  const RunOutcome run =
      run_stepscope("gate --baseline " + folder_.at("empty") + " --candidate " + kKept);
  EXPECT_EQ(run.status, 4);
  EXPECT_THAT(run.err, HasSubstr("a folder without a report"));
}

}  // namespace
}  // namespace stepscope
