// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/settings.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace stepscope::inject {
namespace {

std::string name_of(const std::vector<const char*>& argv) {
  return name_of_program(static_cast<int>(argv.size()), argv.data()).data();
}

TEST(Settings, DevicesAreSampledTenTimesASecondUnlessToldOtherwise) {
  EXPECT_EQ(settings_from_environment().pm_us, 0U);  // never, unless it is asked for
  unsetenv("STEPSCOPE_NVML_MS");
  EXPECT_EQ(settings_from_environment().nvml_ms, 100U);
  for (const auto& [text, ms] : {std::pair("0", 0U), {"-3", 0U}, {"20", 20U}, {"x", 0U}}) {
    setenv("STEPSCOPE_NVML_MS", text, 1);
    EXPECT_EQ(settings_from_environment().nvml_ms, ms) << text;
  }
  unsetenv("STEPSCOPE_NVML_MS");
}

TEST(NameOfProgram, IsTheBasename) {
  EXPECT_EQ(name_of({"/usr/bin/train", "x.py"}), "train");
}

TEST(NameOfProgram, IsWhatAnInterpreterRuns) {
  EXPECT_EQ(name_of({"/opt/bin/python3.11", "/home/x/train.py", "--epochs", "2"}), "train.py");
  EXPECT_EQ(name_of({"python", "-u", "-X", "dev", "train.py"}), "train.py");
  EXPECT_EQ(name_of({"python", "-m", "torch.distributed.run", "train.py"}),
            "torch.distributed.run");
  EXPECT_EQ(name_of({"python", "-c", "print(1)"}), "-c");
  EXPECT_EQ(name_of({"bash", "run.sh"}), "run.sh");
  EXPECT_EQ(name_of({"python3"}), "python3");
  EXPECT_EQ(name_of({"pythonista", "train.py"}), "pythonista");
}

TEST(IsSelected, SearchesTheName) {
  EXPECT_TRUE(is_selected(nullptr, "train.py"));
  EXPECT_TRUE(is_selected("", "train.py"));
  EXPECT_TRUE(is_selected("^(train|eval)\\.py$", "eval.py"));
  EXPECT_FALSE(is_selected("^train$", "train.py"));
  EXPECT_TRUE(is_selected("(", "train.py"));  // the launcher refuses such; never lose a run for it
}

}  // namespace
}  // namespace stepscope::inject
