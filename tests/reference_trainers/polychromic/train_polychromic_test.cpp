// SPDX-License-Identifier: Apache-2.0
// The program itself: exit status and streams, as a shell sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/reference_trainers/rank_processes.hpp"

namespace stepscope::polychromic {
namespace {

using testing::HasSubstr;
using trainers::kStderrOnly;
using trainers::Outcome;

// In a folder of its own, because a failed run leaves its batch in the working directory.
class TrainPolychromic : public testing::Test {
 protected:
  TrainPolychromic() { std::filesystem::create_directories(folder_); }
  ~TrainPolychromic() override { std::filesystem::remove_all(folder_); }

  Outcome run(const std::string& arguments, const std::string& redirect = "2>/dev/null") const {
    return trainers::run_in_shell("cd " + folder_.string() +
                                  " && " TRAIN_POLYCHROMIC " --device cpu " + arguments + " " +
                                  redirect);
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("polychromic_test." + std::to_string(getpid()));
};

TEST_F(TrainPolychromic, ThePresetTinyLearnsAndPrintsOneLineOfJson) {
  const Outcome outcome = run("--preset tiny --variant optimized");
  ASSERT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output.find('\n'), outcome.output.size() - 1);
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["schema"], "stepscope.train/1");
  EXPECT_EQ(json["rung"], "R6");
  const auto losses = json["losses"].get<std::vector<double>>();
  ASSERT_EQ(losses.size(), 120U);
  EXPECT_LT(losses.back(), 0.8 * losses.front());
  EXPECT_EQ(json["diversities"].size(), 120U);
  EXPECT_EQ(json["first_replies"].size(), 6U);
  EXPECT_GT(json["generate_ms"].get<double>(), 0);
}

TEST_F(TrainPolychromic, BothVariantsDrawTheSameReplies) {
  const auto replies = [this](const char* variant) {
    const Outcome outcome = run(std::string("--steps 2 --variant ") + variant);
    return nlohmann::json::parse(outcome.output)["first_replies"];
  };
  EXPECT_EQ(replies("baseline"), replies("optimized"));
}

TEST_F(TrainPolychromic, ItsOwnDataCanBeWrittenAndReadAgain) {
  ASSERT_EQ(run("--write-data made.pt").status, 0);
  const auto losses = [this](const std::string& words) {
    return nlohmann::json::parse(run("--steps 3 --variant optimized " + words).output)["losses"];
  };
  EXPECT_EQ(losses("--data made.pt"), losses(""));
}

TEST_F(TrainPolychromic, SaysWhatIsWrong) {
  const Outcome nan = run("--steps 40 --lr 1e38 --variant optimized", kStderrOnly);
  EXPECT_EQ(nan.status, 1);
  EXPECT_THAT(nan.output, HasSubstr("its batch is kept in train_polychromic.step"));
  EXPECT_EQ(run("--replies 1").status, 2);
  const Outcome missing = run("--data nowhere.pt", kStderrOnly);
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.output, HasSubstr("nowhere.pt"));
  const Outcome ranks = trainers::run_in_shell(
      "RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 MASTER_ADDR=localhost MASTER_PORT=1 " TRAIN_POLYCHROMIC
      " --device cpu " +
      std::string(kStderrOnly));
  EXPECT_EQ(ranks.status, 1);
  EXPECT_THAT(ranks.output, HasSubstr("there are 2 ranks; polychromic is trained by one process"));
}

}  // namespace
}  // namespace stepscope::polychromic
