// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/trainer_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace stepscope::trainers {
namespace {

using testing::HasSubstr;

struct Made {
  DeviceWish device = DeviceWish::automatic;
  int threads = 1, timeout = 120;
  double rate = 1, decay = 0;
  Result<std::optional<std::string>> help = std::optional<std::string>();

  explicit Made(const std::vector<const char*>& words) {
    CLI::App app("Trains nothing", "train_made");
    add_device_options(app, device, threads);
    add_rank_timeout(app, timeout);
    app.add_option("--rate", rate)->check(above_zero());
    app.add_option("--decay", decay)->check(not_negative());
    help = parse_words(app, words);
  }
};

TEST(TrainerOptions, AreReadInAnyOrder) {
  const Made made({"--threads", "4", "--device", "cpu", "--rank-timeout", "7", "--decay", "0"});
  ASSERT_TRUE(made.help);
  EXPECT_FALSE(*made.help);
  EXPECT_EQ(made.device, DeviceWish::cpu);
  EXPECT_EQ(made.threads, 4);
  EXPECT_EQ(made.timeout, 7);
}

TEST(TrainerOptions, HelpIsTextAndNoError) {
  const Made made({"--help"});
  ASSERT_TRUE(made.help);
  EXPECT_THAT(made.help->value_or(""), HasSubstr("auto|cpu|cuda"));
}

TEST(TrainerOptions, MistakesNameTheOptionAndTheProgram) {
  const auto message = [](const std::vector<const char*>& words) {
    const Made made(words);
    return made.help ? "no error" : made.help.error().message;
  };
  EXPECT_THAT(message({"--thread", "4"}), HasSubstr("(see train_made --help)"));
  EXPECT_THAT(message({"--rate", "0"}), HasSubstr("--rate: 0 is not a finite number > 0"));
  EXPECT_THAT(message({"--rate", "nan"}), HasSubstr("is not a finite number > 0"));
  EXPECT_THAT(message({"--decay", "-1"}), HasSubstr("--decay: -1 is not a finite number >= 0"));
  EXPECT_THAT(message({"--device", "tpu"}), HasSubstr("--device"));
}

}  // namespace
}  // namespace stepscope::trainers
