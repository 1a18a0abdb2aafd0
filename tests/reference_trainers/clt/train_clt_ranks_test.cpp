// SPDX-License-Identifier: Apache-2.0
// Several ranks as processes: started by the program, or found in the environment; their
// checkpoints; and how they end.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/reference_trainers/clt/train_clt_program.hpp"

namespace stepscope::clt {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using trainers::Ending;
using trainers::ending_of_ranks;

constexpr const char* kSizes =
    "--device cpu --layers 2 --features 32 --d-model 8 --batch 16 --k 4 --rows 64 ";

class TrainCltRanks : public testing::Test {
 protected:
  TrainCltRanks()
      : folder_(fs::temp_directory_path() / ("train_clt_ranks_test." + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~TrainCltRanks() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  fs::path folder_;
};

// Returns another port at each call, below those that the system gives to connections.
std::string own_port() {
  static int calls = 0;
  return std::to_string(20000 + (getpid() * 4 + calls++) % 12000);
}

double last_loss(const std::string& arguments) {
  const Outcome outcome = train_clt(arguments);
  EXPECT_EQ(outcome.status, 0) << arguments;
  EXPECT_EQ(outcome.output.find('\n'), outcome.output.size() - 1) << "one line, of rank 0";
  return outcome.status == 0 ? nlohmann::json::parse(outcome.output)["loss"]["last"].get<double>()
                             : 0;
}

TEST_F(TrainCltRanks, SeveralProcessesReachTheLossOfOne) {
  const std::string tiny = kTiny;
  const double alone = last_loss(tiny);
  for (const char* ranks : {" --nproc 2 --parallel features", " --nproc 4 --parallel features",
                            " --nproc 2 --parallel data", " --nproc 3 --with sparse_step"})
    EXPECT_NEAR(last_loss(tiny + ranks), alone, 1e-5 * alone) << ranks;
}

TEST_F(TrainCltRanks, AreFoundInTheEnvironmentAsTorchrunSetsIt) {
  const std::string tiny = kTiny;
  const std::string program = std::string(TRAIN_CLT) + " " + tiny;
  const std::string port = own_port();
  const std::string common = "WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=" + port + " ";
  const Outcome outcome = run_in_shell(common + "RANK=1 " + program + " 2>/dev/null & " + common +
                                       "RANK=0 " + program + " 2>/dev/null; wait");
  ASSERT_EQ(outcome.status, 0);
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["parameters"], nlohmann::json::parse(train_clt(tiny).output)["parameters"]);
}

TEST_F(TrainCltRanks, WrongNumbersAreStatus2) {
  const Outcome outcome = train_clt(std::string(kTiny) + " --nproc 3 --parallel data", kStderrOnly);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, HasSubstr("--batch 16 does not divide by 3 ranks"));
  const Outcome other =
      run_in_shell("RANK=0 WORLD_SIZE=4 MASTER_ADDR=localhost MASTER_PORT=1 " +
                   std::string(TRAIN_CLT) + " " + kTiny + " --nproc 2 " + kStderrOnly);
  EXPECT_NE(other.status, 0);
  EXPECT_THAT(other.output, HasSubstr("--nproc 2, but this is a rank of 4"));
}

TEST_F(TrainCltRanks, AFailingRunIsStatus1AndNamesARank) {
  const Outcome outcome = train_clt(std::string(kTiny) + " --nproc 2 --lr 1e30", kStderrOnly);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("rank 0: step"), HasSubstr("the loss is")));
}

TEST_F(TrainCltRanks, GoOnFromTheirCheckpoints) {
  const std::string tiny = std::string(kSizes) + " --nproc 2";
  const double whole = last_loss(tiny + " --steps 9");
  (void)last_loss(tiny + " --steps 5 --checkpoint " + path("five"));
  EXPECT_TRUE(fs::exists(path("five.rank0of2")));
  EXPECT_TRUE(fs::exists(path("five.rank1of2")));
  EXPECT_EQ(last_loss(tiny + " --steps 9 --resume " + path("five")), whole);

  const std::string data = tiny + " --parallel data";
  const double of_data = last_loss(data + " --steps 9");
  (void)last_loss(data + " --steps 5 --checkpoint " + path("data"));
  EXPECT_EQ(last_loss(data + " --steps 9 --resume " + path("data")), of_data);
}

TEST_F(TrainCltRanks, CheckpointPartsThatDoNotBelongTogetherAreNamed) {
  const std::string tiny = std::string(kSizes) + " --nproc 2";
  const auto error_of = [&](const std::string& ranks) {
    const Outcome outcome =
        train_clt(kSizes + ranks + " --steps 9 --resume " + path("a"), kStderrOnly);
    EXPECT_EQ(outcome.status, 1);
    return outcome.output;
  };
  const auto copy = [&](const char* from, const char* to) {
    fs::copy_file(path(from), path(to), fs::copy_options::overwrite_existing);
  };
  (void)last_loss(tiny + " --steps 5 --checkpoint " + path("a"));
  (void)last_loss(tiny + " --steps 6 --checkpoint " + path("b"));
  (void)last_loss(tiny + " --steps 5 --checkpoint " + path("c"));
  copy("b.rank1of2", "a.rank1of2");
  EXPECT_THAT(error_of("--nproc 2"),
              HasSubstr("rank 0's part was written behind step 5, rank 1's behind "
                        "step 6"));
  copy("c.rank1of2", "a.rank1of2");
  EXPECT_THAT(error_of("--nproc 2"), HasSubstr("parts of ranks 0 and 1 were not written together"));
  copy("c.rank0of2", "a.rank1of2");
  EXPECT_THAT(error_of("--nproc 2"), HasSubstr("it is that of rank 0 of 2, this is rank 1 of 2"));
  EXPECT_THAT(error_of("--nproc 4"), HasSubstr("it was written by 2 ranks"));
  EXPECT_THAT(error_of("--nproc 1"),
              HasSubstr("--resume " + path("a") + " --nproc 2 --parallel features"));
}

TEST_F(TrainCltRanks, WhatIsOfOneProcessIsRefused) {
  const auto refused = [&](const std::string& flags) {
    const Outcome several = train_clt(std::string(kTiny) + flags + " --nproc 2", kStderrOnly);
    EXPECT_EQ(several.status, 2) << flags;
    const Outcome one_of_two =
        run_in_shell("RANK=0 WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=1 " +
                     std::string(TRAIN_CLT) + " " + kTiny + flags + " " + kStderrOnly);
    EXPECT_EQ(one_of_two.status, 1) << flags;
    EXPECT_EQ(one_of_two.output, several.output);
    return several.output;
  };
  EXPECT_THAT(refused(" --to-jumprelu " + path("thresholds")), HasSubstr("leave out --nproc"));
  EXPECT_THAT(refused(" --variant hierarchical"), HasSubstr("leave out --nproc"));
  EXPECT_THAT(refused(" --hierarchical-ranks 2"), HasSubstr("leave out --nproc"));
}

// As the message of --to-jumprelu says.
TEST_F(TrainCltRanks, OneProcessConvertsWhatRanksThatShareRowsTrained) {
  const std::string tiny = std::string(kSizes) + "--steps 8 ";
  (void)last_loss(tiny + "--nproc 2 --parallel data --checkpoint " + path("eight"));
  const Outcome converted =
      train_clt(tiny + "--resume " + path("eight") + " --to-jumprelu " + path("thresholds"));
  ASSERT_EQ(converted.status, 0);
  const auto json = nlohmann::json::parse(converted.output);
  EXPECT_GT(json["jumprelu"]["jumprelu"]["l0"], 0);
  EXPECT_FALSE(json.contains("tokens_per_s")) << "no step was made";
  EXPECT_TRUE(fs::exists(path("thresholds")));
}

TEST_F(TrainCltRanks, ACheckpointThatCannotBeWrittenIsSaidBeforeTraining) {
  for (const char* parallel : {"features", "data"}) {
    const Outcome outcome = train_clt(std::string(kTiny) + " --nproc 2 --parallel " + parallel +
                                          " --checkpoint " + path("none") + "/file",
                                      kStderrOnly);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("error: rank 0: checkpoint " + path("none/file")),
                                      testing::Not(HasSubstr("parameters"))));
  }
}

TEST_F(TrainCltRanks, WriteNoData) {
  const std::string tiny = std::string(kTiny) + " --write-data " + path("data");
  const Outcome several = train_clt(tiny + " --nproc 2", kStderrOnly);
  EXPECT_EQ(several.status, 2);
  EXPECT_THAT(several.output, HasSubstr("leave out --nproc"));
  const Outcome one_of_two =
      run_in_shell("RANK=0 WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=1 " +
                   std::string(TRAIN_CLT) + " " + tiny + " " + kStderrOnly);
  EXPECT_EQ(one_of_two.status, 1);
  EXPECT_THAT(one_of_two.output, HasSubstr("this is a rank of 2"));
  EXPECT_FALSE(fs::exists(path("data")));
}

#ifdef STEPSCOPE_CLT_WITH_HDF5

// The last value of the file, of the last row of the last layer's targets, becomes NaN.
void spoil_last_value(const std::string& file) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(-4, std::ios::end);
  stream.write("\0\0\xc0\x7f", 4);
}

TEST_F(TrainCltRanks, SeveralProcessesReadTheBatchesOfOne) {
  const std::string tiny = std::string(kSizes) + "--steps 12 ", data = "--data " + path("data");
  (void)train_clt(tiny + "--chunk-rows 10 --write-data " + path("data"));
  for (const char* variant :
       {" --variant baseline", " --with device_data", " --with sparse_step"}) {
    const double alone = last_loss(tiny + data + variant);
    EXPECT_NEAR(last_loss(tiny + data + variant + " --nproc 3"), alone, 1e-5 * alone) << variant;
    if (variant == std::string(" --with sparse_step")) continue;
    EXPECT_NEAR(last_loss(tiny + data + variant + " --nproc 4 --parallel data"), alone,
                1e-5 * alone)
        << variant;
  }
}

// Each row is one rank's, so one rank sees it; the others are informed.
TEST_F(TrainCltRanks, ARowThatOneRankCannotTrainOnEndsAllAndNamesIt) {
  const std::string tiny = kTiny;
  (void)train_clt(tiny + " --write-data " + path("data"));
  spoil_last_value(path("data/chunk_0.h5"));
  const Outcome outcome =
      train_clt(tiny + " --nproc 2 --parallel data --data " + path("data"), kStderrOnly);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, testing::ContainsRegex("train_clt: error: rank [01]: .*/chunk_0.h5: "
                                                     "layer_1/targets: row 63 holds NaN"));
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("rank 0 ended with exit status 1"),
                                    HasSubstr("rank 1 ended with exit status 1")));
}

// As on two machines, each with a folder of that name.
TEST_F(TrainCltRanks, RanksThatReadOtherActivationsAreNamed) {
  for (const char* rank : {"0", "1"}) {
    fs::create_directories(path(rank));
    (void)train_clt(std::string(kTiny) + " --seed " + rank + " --write-data " + path(rank) +
                    "/data");
  }
  const std::string port = own_port();
  const auto rank = [&](const std::string& number) {
    return "(cd " + path(number) + " && WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=" + port +
           " RANK=" + number + " " + TRAIN_CLT + " " + kTiny + " --data data 2>&1)";
  };
  const Outcome outcome = run_in_shell(rank("1") + " & " + rank("0") + "; wait");
  EXPECT_THAT(outcome.output, HasSubstr("data: rank 1 finds other activations there than rank 0"));
}

#endif

// Three ranks that would train for hours, one of which gets a signal behind the first evaluation.
Ending ending_of(const std::string& said_file, std::size_t rank, int signal,
                 std::vector<std::string> more) {
  std::vector<std::string> arguments{
      "--device", "cpu",       "--layers",     "2",   "--features", "32",     "--d-model",
      "8",        "--batch",   "16",           "--k", "4",          "--rows", "64",
      "--steps",  "100000000", "--eval-every", "20",  "--nproc",    "3"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return ending_of_ranks(TRAIN_CLT, arguments, "step 20:", said_file, rank, signal);
}

TEST_F(TrainCltRanks, AKilledRankEndsAllLongBeforeTheTimeoutAndIsNamed) {
  for (const std::size_t rank : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    const Ending ending = ending_of(path("said"), rank, SIGKILL, {});
    const std::string name = "rank " + std::to_string(rank);
    EXPECT_TRUE(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 1);
    EXPECT_LT(ending.seconds, 60) << "the timeout of a rank is 120 s";
    EXPECT_THAT(ending.said, AllOf(HasSubstr(name + " was ended by signal 9"),
                                   HasSubstr("train_clt: error: " + name + " ended")));
  }
}

TEST_F(TrainCltRanks, AStoppedRankIsNamedAfterTheTimeout) {
  const Ending ending = ending_of(path("said"), 2, SIGSTOP, {"--rank-timeout", "2"});
  EXPECT_TRUE(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 1);
  EXPECT_LT(ending.seconds, 60);
  EXPECT_THAT(ending.said, HasSubstr("error: rank 2 did not come within 2 s"));
}

}  // namespace
}  // namespace stepscope::clt
