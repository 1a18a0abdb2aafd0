// SPDX-License-Identifier: Apache-2.0
// The program itself: exit status and streams, as a shell sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace stepscope::llm {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Ended {
  int status = -1;
  std::string output;
};

Ended train_llm(const std::string& arguments, const std::string& redirect = "2>/dev/null") {
  FILE* pipe = popen((TRAIN_LLM " " + arguments + " " + redirect).c_str(), "r");
  Ended ended;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    ended.output.append(buffer, got);
  const int status = pclose(pipe);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

constexpr const char* kSmall =
    "--device cpu --layers 1 --d-model 24 --hidden 32 --vocabulary 64 --sequence 16 --micro-batch "
    "2 "
    "--corpus-tokens 1024 --steps 3 ";

TEST(TrainLlm, PrintsOneLineOfJsonAndProgressBesides) {
  const Ended run = train_llm(kSmall);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.output, StartsWith("{\"schema\":\"stepscope.train/1\",\"model\":\"llm\""));
  EXPECT_EQ(run.output.find('\n'), run.output.size() - 1);
  const Ended said = train_llm(kSmall, "2>&1 >/dev/null");
  EXPECT_THAT(said.output, HasSubstr("step     3/3  loss"));
  EXPECT_THAT(said.output, HasSubstr("made grammar"));
}

TEST(TrainLlm, SaysWhatIsWrong) {
  const auto failing = [](const std::string& arguments) {
    return train_llm(arguments, "2>&1 >/dev/null");
  };
  EXPECT_EQ(failing("--rung R9x").status, 2);
  EXPECT_THAT(failing("--rung R9x").output, StartsWith("train_llm: error: --rung: 'R9x'"));
  const Ended missing = failing(std::string(kSmall) + "--data none.bin");
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.output, HasSubstr("none.bin: cannot be opened"));
}

}  // namespace
}  // namespace stepscope::llm
