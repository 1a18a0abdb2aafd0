// SPDX-License-Identifier: Apache-2.0
// The program itself: exit status and streams, as a shell sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/reference_trainers/rank_processes.hpp"

namespace stepscope::tree {
namespace {

using testing::HasSubstr;
using trainers::kStderrOnly;
using trainers::Outcome;

// In a folder of its own, because a failed run leaves its batch in the working directory.
class TrainTree : public testing::Test {
 protected:
  TrainTree() { std::filesystem::create_directories(folder_); }
  ~TrainTree() override { std::filesystem::remove_all(folder_); }

  Outcome run(const std::string& arguments, const std::string& redirect = "2>/dev/null") const {
    return trainers::run_in_shell("cd " + folder_.string() + " && " TRAIN_TREE " --device cpu " +
                                  arguments + " " + redirect);
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("train_tree_test." + std::to_string(getpid()));
};

TEST_F(TrainTree, ThePresetTinyLearnsAndPrintsOneLineOfJson) {
  const Outcome outcome = run("--preset tiny --variant optimized");
  ASSERT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output.find('\n'), outcome.output.size() - 1);
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["schema"], "stepscope.train/1");
  EXPECT_EQ(json["rung"], "R10");
  const auto losses = json["losses"].get<std::vector<double>>();
  ASSERT_EQ(losses.size(), 150U);
  EXPECT_LT(losses.back(), 0.8 * losses.front());
  const auto held_out = json["eval_losses"].get<std::vector<double>>();
  ASSERT_EQ(held_out.size(), 3U);
  EXPECT_LT(held_out[2], held_out[0]);
}

TEST_F(TrainTree, TheLogSaysWhichSpeedItShows) {
  EXPECT_THAT(run("--steps 4", kStderrOnly).output, HasSubstr("steps/s in all"));
  EXPECT_THAT(run("--steps 4 --with recent_speed", kStderrOnly).output,
              HasSubstr("steps/s since the last line"));
}

TEST_F(TrainTree, SaysWhatIsWrong) {
  const Outcome nan = run("--steps 40 --lr 1e38", kStderrOnly);
  EXPECT_EQ(nan.status, 1);
  EXPECT_THAT(nan.output, HasSubstr("its batch is kept in train_tree.step"));
  EXPECT_EQ(run("--credit 9").status, 2);
  const Outcome ranks = trainers::run_in_shell(
      "RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 MASTER_ADDR=localhost MASTER_PORT=1 " TRAIN_TREE
      " --device cpu " +
      std::string(kStderrOnly));
  EXPECT_EQ(ranks.status, 1);
  EXPECT_THAT(ranks.output, HasSubstr("there are 2 ranks; the tree is trained by one process"));
}

}  // namespace
}  // namespace stepscope::tree
