// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/checkpoint_fields.hpp"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace stepscope::trainers {
namespace {

using testing::HasSubstr;

constexpr std::array kNumbers{RunNumber{"seed", "--seed", 3}, RunNumber{"batch", "--batch", 8}};

TEST(CheckpointFields, HoldWhatTheyWereMadeOf) {
  const Dictionary all = checkpoint_fields("made/1", 12, kNumbers, {{"weight", at::ones({2})}});
  EXPECT_TRUE(has_schema(all, "made/1"));
  EXPECT_FALSE(has_schema(all, "made/2"));
  EXPECT_EQ(*steps_in("file", all), 12);
  EXPECT_EQ(number_in(all, "batch", 0), 8);
  EXPECT_EQ(number_in(all, "none", 5), 5);
  EXPECT_EQ(text_in(all, "schema"), "made/1");
  EXPECT_EQ(text_in(all, "none"), "");
  EXPECT_TRUE(find(all, "weight")->toTensor().equal(at::ones({2})));
  EXPECT_TRUE(check_run_numbers("file", all, kNumbers));
}

TEST(CheckpointFields, OfAnotherRunNameTheFlag) {
  const Dictionary all = checkpoint_fields("made/1", 12, {kNumbers.data(), 1}, {});
  EXPECT_EQ(check_run_numbers("file", all, kNumbers).error().message,
            "checkpoint file: it was written with --batch unknown, this run has 8");
  const std::array other{RunNumber{"seed", "--seed", 4}};
  EXPECT_EQ(check_run_numbers("file", all, other).error().message,
            "checkpoint file: it was written with --seed 3, this run has 4");
  EXPECT_THAT(steps_in("file", empty_dictionary()).error().message,
              HasSubstr("does not say how many steps"));
}

}  // namespace
}  // namespace stepscope::trainers
