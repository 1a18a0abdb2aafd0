// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/data/sequences.hpp"

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/reference_trainers/polychromic/small_polychromic.hpp"

namespace stepscope::polychromic {
namespace {

using testing::HasSubstr;

class PolychromicSequences : public testing::Test {
 protected:
  ~PolychromicSequences() override { std::filesystem::remove(path_); }

  std::string message_of(const at::Tensor& tokens) {
    EXPECT_TRUE(write_sequences(path_, tokens));
    return message();
  }
  std::string message() {
    config_.data = path_;
    const auto opened = open_sequences(config_);
    return opened ? "no error" : opened.error().message;
  }

  Config config_ = small_polychromic();
  const std::string path_ =
      std::filesystem::temp_directory_path() / ("sequences." + std::to_string(getpid()) + ".pt");
};

TEST_F(PolychromicSequences, AFileHoldsWhatIsMade) {
  const at::Tensor made = *open_sequences(config_);
  EXPECT_EQ(message_of(make_sequences(config_)), "no error");
  EXPECT_TRUE(at::equal(*open_sequences(config_), made));
}

TEST_F(PolychromicSequences, BatchesGoThroughWholeOnesAgainAndAgain) {
  const at::Tensor all = *open_sequences(config_);  // 13 in batches of 4
  EXPECT_TRUE(at::equal(batch_of(all, config_, 0), all.narrow(0, 0, 4)));
  EXPECT_TRUE(at::equal(batch_of(all, config_, 2), all.narrow(0, 8, 4)));
  EXPECT_TRUE(at::equal(batch_of(all, config_, 3), all.narrow(0, 0, 4)));
}

TEST_F(PolychromicSequences, WhatTheModelDoesNotTakeIsRefused) {
  const at::TensorOptions whole(at::kLong);
  EXPECT_THAT(message_of(at::zeros({0, 9}, whole)),
              HasSubstr("it holds 0 sequences, a step takes 4"));
  EXPECT_THAT(message_of(at::zeros({8, 10}, whole)),
              HasSubstr("a sequence has 10 tokens, --prompt 3 and --reply 6 are 9"));
  EXPECT_THAT(message_of(at::full({8, 9}, 23, whole)),
              HasSubstr("it holds the token 23; --vocabulary 23 takes 0 to 22"));
  EXPECT_THAT(message_of(at::full({8, 9}, -1, whole)), HasSubstr("it holds the token -1"));
  EXPECT_THAT(message_of(at::zeros({8, 9})), HasSubstr("is no file of sequences"));
}

TEST_F(PolychromicSequences, ADamagedOrMissingFileIsNamed) {
  EXPECT_THAT(message(), HasSubstr(path_));
  ASSERT_TRUE(write_sequences(path_, make_sequences(config_)));
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  EXPECT_THAT(message(), HasSubstr(path_));
}

}  // namespace
}  // namespace stepscope::polychromic
