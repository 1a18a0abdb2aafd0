// SPDX-License-Identifier: Apache-2.0
// The program itself: exit status and streams, as a shell sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/reference_trainers/rank_processes.hpp"

namespace stepscope::token_pipeline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using trainers::kStderrOnly;
using trainers::Outcome;

// In a folder of its own, because a failed run leaves its batch in the working directory.
class TrainTokenPipeline : public testing::Test {
 protected:
  TrainTokenPipeline() { std::filesystem::create_directories(folder_); }
  ~TrainTokenPipeline() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  Outcome run(const std::string& arguments, const std::string& redirect = "2>/dev/null") const {
    return trainers::run_in_shell("cd " + folder_.string() +
                                  " && " TRAIN_TOKEN_PIPELINE " --device cpu " + arguments + " " +
                                  redirect);
  }

  nlohmann::json json_of(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments;
    EXPECT_EQ(outcome.output.find('\n'), outcome.output.size() - 1) << "one line, of rank 0";
    return nlohmann::json::parse(outcome.output, nullptr, false);
  }

 private:
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                        ("train_token_pipeline_test." + std::to_string(getpid()));
};

TEST_F(TrainTokenPipeline, ThePresetTinyLearnsAndPrintsOneLineOfJson) {
  const nlohmann::json json = json_of("--preset tiny --rung R1");
  EXPECT_EQ(json["schema"], "stepscope.train/1");
  EXPECT_EQ(json["rung"], "R1");
  EXPECT_EQ(json["timed_steps"], 97);
  EXPECT_NEAR(json["samples_per_s"].get<double>(), 16e3 / json["ms_per_step"].get<double>(), 1);
  const auto losses = json["losses"].get<std::vector<double>>();
  ASSERT_EQ(losses.size(), 100U);
  EXPECT_LT(losses.back(), 0.3 * losses.front());
  EXPECT_THAT(run("--steps 2", kStderrOnly).output, HasSubstr("step     2/2  loss"));
}

TEST_F(TrainTokenPipeline, TrainsOnWhatItWrote) {
  EXPECT_EQ(run("--write-data " + path("made.pt")).status, 0);
  EXPECT_EQ(json_of("--steps 3 --data " + path("made.pt"))["losses"],
            json_of("--steps 3")["losses"]);
}

TEST_F(TrainTokenPipeline, RanksTrainAsOneWithTwiceTheBatch) {
  const auto alone = json_of("--steps 4 --batch 8")["losses"].get<std::vector<double>>();
  const nlohmann::json two = json_of("--steps 4 --batch 4 --nproc 2 --variant optimized");
  EXPECT_EQ(two["samples_a_step"], 8);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(two["losses"][i].get<double>(), alone[i], 1e-5 * alone[i]);
}

TEST_F(TrainTokenPipeline, ALossThatIsNotFiniteNamesStepAndBatch) {
  const Outcome outcome = run("--steps 40 --log-every 1 --lr 1e38", kStderrOnly);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("nan; its batch is kept in "
                                        "train_token_pipeline.step"));
}

TEST_F(TrainTokenPipeline, SaysWhatIsWrong) {
  EXPECT_EQ(run("--rung R9").status, 2);
  EXPECT_THAT(run("--rung R9", kStderrOnly).output,
              StartsWith("train_token_pipeline: error: --rung: 'R9' is no fix"));
  const Outcome missing = run("--data none.pt", kStderrOnly);
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.output, HasSubstr("data none.pt: "));
  const Outcome large = run("--batch 300", kStderrOnly);
  EXPECT_EQ(large.status, 1);
  EXPECT_THAT(large.output, HasSubstr("there are 256 samples, a step of one rank takes 300"));
  const Outcome copies = run("--samples 16000000 --features 1000 --steps 1", kStderrOnly);
  EXPECT_EQ(copies.status, 1);
  EXPECT_THAT(copies.output, HasSubstr("out of memory with 16 samples a step"));
}

TEST_F(TrainTokenPipeline, AKilledRankEndsAllLongBeforeTheTimeoutAndIsNamed) {
  const trainers::Ending ending = trainers::ending_of_ranks(
      TRAIN_TOKEN_PIPELINE,
      {"--device", "cpu", "--batch", "4", "--steps", "100000000", "--nproc", "3", "--rung", "R1"},
      "step    20/", path("said"), 1, SIGKILL);
  EXPECT_TRUE(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 1);
  EXPECT_LT(ending.seconds, 60) << "the timeout of a rank is 120 s";
  EXPECT_THAT(ending.said, HasSubstr("rank 1 was ended by signal 9"));
}

}  // namespace
}  // namespace stepscope::token_pipeline
