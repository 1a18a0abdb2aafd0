// SPDX-License-Identifier: Apache-2.0
#include "core/compare/commands.hpp"

#include <gtest/gtest.h>

namespace stepscope::compare_parts {
namespace {

TEST(CommandOptions, BothFormsOfAValueAreOne) {
  EXPECT_TRUE(option_differences("train.py --batch 64", "train.py --batch=64").empty());
}

TEST(CommandOptions, SizesAreToldFromOtherOptions) {
  const auto all = option_differences("t.py --micro_batch_size 64 --lr 0.1",
                                      "t.py --micro_batch_size 32 --lr 0.2 --fused");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].option, "--fused");
  EXPECT_EQ(all[0].a, "absent");
  EXPECT_EQ(all[0].b, "given");
  EXPECT_FALSE(all[0].size);
  EXPECT_EQ(all[1].option, "--lr");
  EXPECT_FALSE(all[1].size);
  EXPECT_EQ(all[2].option, "--micro_batch_size");
  EXPECT_TRUE(all[2].size);
}

TEST(CommandOptions, PlacesAreNoSizes) {
  for (const char* option : {"--model-dir", "--model_path", "--vocab-file", "--model_name"}) {
    const std::string command = std::string("t.py ") + option;
    const auto all = option_differences(command + " a", command + " b");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_FALSE(all[0].size) << option;
  }
  EXPECT_FALSE(option_differences("t.py --model a/b.pt", "t.py --model c/d.pt").at(0).size);
  for (const char* option : {"--bs", "--batchsize", "--image-size", "--img_size", "--batchSize"}) {
    const std::string command = std::string("t.py ") + option;
    EXPECT_TRUE(option_differences(command + " 1", command + " 2").at(0).size) << option;
  }
}

TEST(CommandOptions, WordsInsideOfWordsAreNoSize) {
  const auto all = option_differences("t.py --dimmer 1", "t.py --dimmer 2");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].size);
}

}  // namespace
}  // namespace stepscope::compare_parts
