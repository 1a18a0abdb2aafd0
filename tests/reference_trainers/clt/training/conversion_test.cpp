// SPDX-License-Identifier: Apache-2.0
// A run that ends with a conversion: its file, its numbers, and what goes wrong.
#include "reference_trainers/clt/training/conversion.hpp"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "reference_trainers/clt/run.hpp"
#include "reference_trainers/common/device.hpp"
#include "reference_trainers/common/tensor_file.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

class ConversionTest : public testing::Test {
 protected:
  ConversionTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("conversion_test." + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    config_.to_jump_relu = path("thresholds");
  }
  ~ConversionTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }
  static Result<RunResult> train(const Config& config) {
    return run(config, [](const std::string&) {});
  }
  static at::Tensor thresholds(const std::string& file) {
    const Result<trainers::Dictionary> all = trainers::read_tensor_file("thresholds", file);
    EXPECT_TRUE(all) << (all ? "" : all.error().message);
    return trainers::find(*all, "thresholds")->toTensor();
  }

  std::filesystem::path folder_;
  Config config_ = tiny_config();
};

TEST_F(ConversionTest, WritesThresholdsAndMeasuresThemOnHeldOutRows) {
  const Result<RunResult> result = train(config_);
  ASSERT_TRUE(result) << result.error().message;
  const Conversion& conversion = *result->conversion;
  EXPECT_EQ(conversion.measured_tokens, 8 * 64);
  EXPECT_FALSE(conversion.trained_on);
  EXPECT_NEAR(conversion.before.l0, 9, 1e-3);
  EXPECT_NEAR(conversion.after.nmse, conversion.before.nmse, 0.1 * conversion.before.nmse);

  const Result<trainers::Dictionary> all =
      trainers::read_tensor_file("thresholds", config_.to_jump_relu);
  ASSERT_TRUE(all);
  EXPECT_EQ(trainers::find(*all, "schema")->toStringRef(), "stepscope.clt.jumprelu/1");
  EXPECT_EQ(trainers::find(*all, "step")->toInt(), 20);
  EXPECT_EQ(thresholds(config_.to_jump_relu).sizes(), at::IntArrayRef({3, 64}));
  EXPECT_TRUE(at::equal(thresholds(config_.to_jump_relu), conversion.jump_relu.thresholds));
  const auto json = nlohmann::json::parse(to_json(config_, *result));
  EXPECT_EQ(json["jumprelu"]["jumprelu"]["l0"], conversion.after.l0);
  EXPECT_THAT(summary(conversion),
              testing::HasSubstr("on 512 held-out tokens: as trained l0 9.00"));
}

// On 512 rows of one seed L0 deviates by 0.4 (standard deviation over eight seeds).
TEST_F(ConversionTest, KeepsTheL0OnHeldOutRowsInTheMean) {
  constexpr std::uint64_t kSeeds = 8;
  double mean = 0;
  for (config_.seed = 0; config_.seed < kSeeds; ++config_.seed) {
    const Result<RunResult> result = train(config_);
    ASSERT_TRUE(result) << result.error().message;
    mean += result->conversion->after.l0 / kSeeds;
  }
  EXPECT_NEAR(mean, 9, 0.4);
}

TEST_F(ConversionTest, AFinishedCheckpointConvertsToTheSame) {
  config_.checkpoint = path("checkpoint");
  ASSERT_TRUE(train(config_));
  const at::Tensor expected = thresholds(config_.to_jump_relu);
  config_.resume = config_.checkpoint;
  config_.to_jump_relu = path("again");
  const Result<RunResult> result = train(config_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(at::equal(thresholds(path("again")), expected));
  EXPECT_TRUE(nlohmann::json::parse(to_json(config_, *result))["loss"]["last"].is_null());
  EXPECT_TRUE(nlohmann::json::parse(to_json(config_, *result))["ms_per_step"].is_null());
}

// The same losses up to rounding, and so about the same thresholds where features fired.
TEST_F(ConversionTest, TheSparseStepConvertsAlike) {
  ASSERT_TRUE(train(config_));
  const at::Tensor expected = thresholds(config_.to_jump_relu);
  ASSERT_TRUE(switch_fixes(config_.fixes, {"sparse_step", "device_data"}, true));
  ASSERT_TRUE(train(config_));
  EXPECT_TRUE(at::allclose(thresholds(config_.to_jump_relu), expected, 1e-2, 1e-2));
}

// With and without the kernels; sums may be made in another order there.
TEST_F(ConversionTest, AGpuConvertsAlike) {
  const auto chosen = trainers::choose_device(trainers::DeviceWish::automatic);
  ASSERT_TRUE(chosen);
  if (!chosen->device.is_cuda()) GTEST_SKIP() << "no GPU";
  const Result<RunResult> expected = train(config_);
  config_.device = trainers::DeviceWish::cuda;
  for (const bool kernels : {false, true}) {
    if (kernels) config_.fixes = every_fix();
    const Result<RunResult> found = train(config_);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_NEAR(found->conversion->after.l0, expected->conversion->after.l0, 0.2);
    EXPECT_NEAR(found->conversion->after.nmse, expected->conversion->after.nmse, 0.02);
  }
}

TEST_F(ConversionTest, WhatCannotBeWrittenIsNamedBeforeTheFirstStep) {
  const auto error = [](const Config& config) {
    const auto result = run(config, [](const std::string& line) { ADD_FAILURE() << line; });
    return result ? "none" : result.error().message;
  };
  config_.to_jump_relu = path("none") + "/thresholds";
  EXPECT_THAT(error(config_),
              testing::AllOf(testing::HasSubstr("thresholds " + config_.to_jump_relu),
                             testing::HasSubstr("No such file")));
  config_.to_jump_relu = folder_;
  EXPECT_THAT(error(config_), testing::HasSubstr("Is a directory"));
  config_.checkpoint = path("none") + "/checkpoint";
  EXPECT_THAT(error(config_), testing::HasSubstr("checkpoint " + config_.checkpoint));
}

}  // namespace
}  // namespace stepscope::clt
