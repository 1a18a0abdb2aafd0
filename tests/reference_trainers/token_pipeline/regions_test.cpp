// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/data/regions.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/reference_trainers/token_pipeline/small_pipeline.hpp"

namespace stepscope::token_pipeline {
namespace {

using testing::HasSubstr;

class RegionsFile : public testing::Test {
 protected:
  ~RegionsFile() override { std::filesystem::remove(path_); }

  // Returns the error of reading the made regions after `change`.
  template <class Change>
  std::string error_after(const Change& change) {
    Config config = small_pipeline();
    Regions regions = make_regions(config);
    change(config, regions);
    EXPECT_TRUE(write_regions(path_, regions));
    config.data = path_;
    const Result<Regions> read = open_regions(config);
    return read ? "no error" : read.error().message;
  }

  const std::string path_ =
      std::filesystem::temp_directory_path() / ("regions_test." + std::to_string(getpid()) + ".pt");
};

TEST_F(RegionsFile, AreReadAsTheyWereWritten) {
  Config config = small_pipeline();
  const Regions made = make_regions(config);
  ASSERT_TRUE(write_regions(path_, made));
  config.data = path_;
  const Result<Regions> read = open_regions(config);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->begins, made.begins);
  EXPECT_TRUE(at::equal(read->tokens, made.tokens));
  EXPECT_TRUE(at::equal(read->features, made.features));
  EXPECT_TRUE(at::equal(read->labels, made.labels));
  EXPECT_EQ(read->samples(), 20);
}

TEST_F(RegionsFile, WhatTheModelDoesNotTakeIsNamed) {
  EXPECT_EQ(error_after([](Config&, Regions&) {}), "no error");
  EXPECT_THAT(error_after([](Config& config, Regions&) { config.longest_sample = 5; }),
              HasSubstr("tokens, the model takes 5; raise --longest-sample"));
  EXPECT_THAT(error_after([](Config&, Regions& regions) { regions.tokens[3] = 32; }),
              HasSubstr("it holds the token 32; --vocabulary 32 takes 0 to 31"));
  EXPECT_THAT(error_after([](Config&, Regions& regions) { regions.labels[0] = -1; }),
              HasSubstr("it holds the label -1; --classes 3 takes 0 to 2"));
  EXPECT_THAT(error_after([](Config& config, Regions&) { config.shape.features = 7; }),
              HasSubstr("a token has 6 numbers; say --features 6"));
}

TEST_F(RegionsFile, WhatIsNotWholeIsRefused) {
  const auto shortened = [](Config&, Regions& regions) {
    regions.tokens = regions.tokens.narrow(0, 1, 40).clone();
  };
  EXPECT_THAT(error_after(shortened), HasSubstr("it holds 40 tokens"));
  EXPECT_THAT(error_after([](Config&, Regions& regions) {
                regions.begins = {0, 3, 5};
              }),
              HasSubstr("it holds 2 regions, a sample takes 3"));
  EXPECT_THAT(error_after([](Config&, Regions& regions) { regions.begins[2] = regions.begins[1]; }),
              HasSubstr("a region has no tokens"));
  (void)error_after([](Config&, Regions&) {});
  std::filesystem::resize_file(path_, 200);
  Config config = small_pipeline();
  config.data = path_;
  EXPECT_THAT(open_regions(config).error().message, HasSubstr("data " + path_));
  config.data = path_ + ".none";
  EXPECT_THAT(open_regions(config).error().message, HasSubstr(path_ + ".none"));
}

}  // namespace
}  // namespace stepscope::token_pipeline
