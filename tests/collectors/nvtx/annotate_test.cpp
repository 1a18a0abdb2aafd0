// SPDX-License-Identifier: Apache-2.0
// annotate.hpp alone, without any NVTX header: with our collector as the tool, and with none.
#include "stepscope/annotate.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectors/fake_recorder/fake_recorder.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;

void train(std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    const auto step = step_range(i);
    const auto topk = phase("topk");
  }
}

// Each case in a child process: a client attaches once for good.
template <typename Check>
int in_child(const char* tool, Check check) {
  const pid_t child = fork();
  if (child == 0) {
    tool == nullptr ? unsetenv("NVTX_INJECTION64_PATH") : setenv("NVTX_INJECTION64_PATH", tool, 1);
    fake_recorder::reset();
    train(2);
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(Annotate, StepsAndPhasesNest) {
  EXPECT_EQ(0, in_child(STEPSCOPE_TEST_INJECTION, [] {
              const std::vector<std::string> expected = {
                  "label step", "label phase", "begin step 0 @stepscope", "begin topk @stepscope",
                  "end",        "end",         "begin step 1 @stepscope", "begin topk @stepscope",
                  "end",        "end"};
              return fake_recorder::story() == expected;
            }));
}

TEST(Annotate, WithoutATool) {
  const auto silent = [] { return fake_recorder::events().empty(); };
  EXPECT_EQ(0, in_child(nullptr, silent));
  EXPECT_EQ(0, in_child("", silent));
  EXPECT_EQ(0, in_child("/nowhere/at/all.so", silent));
  EXPECT_EQ(0, in_child("libc.so.6", silent));  // a library, but no tool
}

}  // namespace
}  // namespace stepscope
