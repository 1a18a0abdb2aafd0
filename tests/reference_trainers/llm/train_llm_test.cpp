// SPDX-License-Identifier: Apache-2.0
// The program itself: exit status and streams, as a shell sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/reference_trainers/rank_processes.hpp"

namespace stepscope::llm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using trainers::kStderrOnly;
using trainers::Outcome;
using trainers::run_in_shell;

Outcome train_llm(const std::string& arguments, const std::string& redirect = "2>/dev/null") {
  return run_in_shell(TRAIN_LLM " " + arguments + " " + redirect);
}

constexpr const char* kSmall =
    "--device cpu --layers 1 --d-model 24 --hidden 32 --vocabulary 64 --sequence 16 --micro-batch "
    "2 "
    "--corpus-tokens 1024 ";
const std::string kThree = std::string(kSmall) + "--steps 3 ";

TEST(TrainLlm, PrintsOneLineOfJsonAndProgressBesides) {
  const Outcome run = train_llm(kThree);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.output, StartsWith("{\"schema\":\"stepscope.train/1\",\"model\":\"llm\""));
  EXPECT_EQ(run.output.find('\n'), run.output.size() - 1);
  const Outcome said = train_llm(kThree, kStderrOnly);
  EXPECT_THAT(said.output, HasSubstr("step     3/3  loss"));
  EXPECT_THAT(said.output, HasSubstr("made grammar"));
}

TEST(TrainLlm, SaysWhatIsWrong) {
  const auto failing = [](const std::string& arguments) {
    return train_llm(arguments, kStderrOnly);
  };
  EXPECT_EQ(failing("--rung R9x").status, 2);
  EXPECT_THAT(failing("--rung R9x").output, StartsWith("train_llm: error: --rung: 'R9x'"));
  const Outcome missing = failing(kThree + "--data none.bin");
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.output, HasSubstr("none.bin: cannot be opened"));
}

// The program beside it answers, or this one says why there is none.
TEST(TrainLlm, MakesShardsOfText) {
  const Outcome run =
      train_llm("--write-data /dev/null/x --text /nope --tokenizer model", kStderrOnly);
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.output, testing::AnyOf(HasSubstr("--text /nope: there is no such file"),
                                         HasSubstr("apt-get install libsentencepiece-dev")));
  const Outcome alone = train_llm("--text /nope", kStderrOnly);
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.output, HasSubstr("--write-data"));
}

class TrainLlmRanks : public testing::Test {
 protected:
  TrainLlmRanks() { std::filesystem::create_directories(folder_); }
  ~TrainLlmRanks() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("train_llm_ranks_test." + std::to_string(getpid()));
};

std::vector<double> losses_of_program(const std::string& arguments) {
  const Outcome outcome = train_llm(kSmall + arguments + " --log-every 1");
  EXPECT_EQ(outcome.status, 0) << arguments;
  EXPECT_EQ(outcome.output.find('\n'), outcome.output.size() - 1) << "one line, of rank 0";
  return nlohmann::json::parse(outcome.output)["losses"].get<std::vector<double>>();
}

TEST_F(TrainLlmRanks, ProcessesTrainAsOneThatAccumulates) {
  const std::vector<double> alone = losses_of_program("--steps 3 --accumulate 2");
  EXPECT_EQ(losses_of_program("--steps 3 --nproc 2"), alone) << "two summands have one order";
  const std::vector<double> shares = losses_of_program("--steps 3 --nproc 2 --zero");
  ASSERT_EQ(shares.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(shares[i], alone[i], 1e-5 * alone[i]);
}

// The state is the whole run's: other ranks may go on with it, with shares of it or without.
TEST_F(TrainLlmRanks, GoOnFromACheckpointToTheBit) {
  const std::string six = "--steps 6 --lr-steps 6 ";
  const std::string fast = "--rung R3 --with packed,fused_adamw ";
  for (const std::string& flags : {std::string(), fast}) {
    const std::string ranks = flags + (flags.empty() ? "--nproc 2" : "--nproc 2 --zero");
    const std::vector<double> whole = losses_of_program(six + ranks);
    (void)losses_of_program("--steps 3 --lr-steps 6 " + ranks + " --checkpoint " + path("three"));
    EXPECT_EQ(losses_of_program(six + ranks + " --resume " + path("three")),
              std::vector<double>(whole.begin() + 3, whole.end()));
    const std::vector<double> alone =
        losses_of_program(six + flags + "--accumulate 2 --resume " + path("three"));
    ASSERT_EQ(alone.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(alone[i], whole[i + 3], 2e-3 * whole[i + 3]);
  }
  const Outcome other = train_llm(
      std::string(kSmall) + "--steps 6 " + fast + "--resume " + path("three"), kStderrOnly);
  EXPECT_THAT(other.output, HasSubstr("written with sequences a step (--micro-batch, --accumulate "
                                      "and ranks) 4, this run has 2"));
}

TEST_F(TrainLlmRanks, AFailureNamesTheRank) {
  const Outcome outcome =
      train_llm(kThree + "--nproc 2 --checkpoint " + path("none") + "/file", kStderrOnly);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("error: rank 0: checkpoint " + path("none/file")));
  const Outcome graph = train_llm(kThree + "--nproc 2 --with cuda_graph", kStderrOnly);
  EXPECT_EQ(graph.status, 2);
  EXPECT_THAT(graph.output, HasSubstr("--without cuda_graph"));
}

TEST_F(TrainLlmRanks, AKilledRankEndsAllLongBeforeTheTimeoutAndIsNamed) {
  const trainers::Ending ending = trainers::ending_of_ranks(
      TRAIN_LLM,
      {"--device", "cpu", "--layers", "1", "--d-model", "24", "--hidden", "32", "--sequence", "16",
       "--micro-batch", "2", "--corpus-tokens", "1024", "--steps", "100000000", "--nproc", "3"},
      "step    20/", path("said"), 1, SIGKILL);
  EXPECT_TRUE(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 1);
  EXPECT_LT(ending.seconds, 60) << "the timeout of a rank is 120 s";
  EXPECT_THAT(ending.said, AllOf(HasSubstr("rank 1 was ended by signal 9"),
                                 HasSubstr("train_llm: error: rank 1 ended")));
}

}  // namespace
}  // namespace stepscope::llm
