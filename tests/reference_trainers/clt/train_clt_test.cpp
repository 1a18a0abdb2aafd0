// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/reference_trainers/clt/train_clt_program.hpp"

namespace stepscope::clt {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(TrainClt, PrintsOneJsonLineOnStdout) {
  const Outcome outcome = train_clt(kTiny);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output.find('\n'), outcome.output.size() - 1);
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["steps"], 4);
}

TEST(TrainClt, HelpGoesToStdoutWithStatus0) {
  const Outcome outcome = train_clt("--help");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("Exit status"));
}

TEST(TrainClt, WrongUsageIsStatus2WithAMessageOnStderr) {
  EXPECT_THAT(train_clt("--layers 0").output, IsEmpty());
  const Outcome outcome = train_clt("--layers 0", kStderrOnly);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, HasSubstr("train_clt: error: --layers"));
}

TEST(TrainClt, AFailingRunIsStatus1) {
  const Outcome outcome = train_clt(std::string(kTiny) + " --lr 1e30", kStderrOnly);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("the loss is"));
}

TEST(TrainClt, WhatLibTorchThrowsIsOneLine) {
  const Outcome outcome = train_clt(
      "--device cpu --layers 1 --features 16777216 --d-model 16777216 --batch 2 --k 1 "
      "--rows 2",
      kStderrOnly);  // weights of 256 TiB: more than addresses reach
  EXPECT_EQ(outcome.status, 1);
  const std::size_t error = outcome.output.find("train_clt: error: ");
  ASSERT_NE(error, std::string::npos) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("can't allocate memory"));
  EXPECT_EQ(outcome.output.find('\n', error), outcome.output.size() - 1) << outcome.output;
}

TEST(TrainClt, CudaWithoutAGpuIsStatus1) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU driver";
  const Outcome outcome = train_clt("--device cuda", kStderrOnly);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("use --device cpu"));
}

#ifdef STEPSCOPE_CLT_WITH_HDF5

// --write-data and --data, as --help shows them.
TEST(TrainClt, TrainsOnDataThatItWrote) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("train_clt_test." + std::to_string(getpid()));
  const std::string tiny = std::string(kTiny) + " ", data = folder.string();
  const Outcome written =
      train_clt(tiny + "--write-type bf16 --chunk-rows 20 --write-data " + data, kStderrOnly);
  EXPECT_EQ(written.status, 0);
  EXPECT_THAT(written.output, HasSubstr("wrote " + data + ": 64 rows of 2 layers"));
  const Outcome trained = train_clt(tiny + "--variant optimized --data " + data);
  EXPECT_EQ(trained.status, 0);
  EXPECT_EQ(nlohmann::json::parse(trained.output)["config"]["data"], data);

  std::filesystem::resize_file(folder / "chunk_2.h5", 1000);
  const Outcome refused = train_clt(tiny + "--data " + data, kStderrOnly);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, testing::StartsWith("train_clt: error: " + data + "/chunk_2.h5"));
  EXPECT_EQ(refused.output.find('\n'), refused.output.size() - 1) << "one line";
  std::filesystem::remove_all(folder);
}

#else

TEST(TrainClt, DataWithoutHdf5SaysWhatToInstall) {
  for (const char* flag : {"--data", "--write-data"}) {
    const Outcome outcome = train_clt(std::string(kTiny) + " " + flag + " anywhere", kStderrOnly);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.output, HasSubstr("libhdf5-dev"));
  }
}

#endif

}  // namespace
}  // namespace stepscope::clt
