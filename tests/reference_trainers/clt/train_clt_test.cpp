// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

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

TEST(TrainClt, CudaWithoutAGpuIsStatus1) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU driver";
  const Outcome outcome = train_clt("--device cuda", kStderrOnly);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("use --device cpu"));
}

}  // namespace
}  // namespace stepscope::clt
