// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/data/file_store.hpp"

#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference_trainers/clt/data/memory_store.hpp"
#include "reference_trainers/clt/run.hpp"
#include "reference_trainers/clt/training/training.hpp"
#include "reference_trainers/common/device.hpp"
#include "tests/reference_trainers/clt/data/written_activations.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class FileStoreTest : public WrittenActivations {
 protected:
  static std::vector<double> losses(const Config& config, std::int64_t steps,
                                    at::Device device = at::kCPU) {
    auto store = open_activations(config, device);
    EXPECT_TRUE(store) << (store ? "" : store.error().message);
    const auto trainer = make_training(config, device, std::move(*store));
    std::vector<double> all;
    for (std::int64_t step = 0; step < steps; ++step)
      all.push_back(trainer->step(step)->losses->total);
    return all;
  }

  static std::string error_of(const Config& config) {
    const auto result = run(config, [](const std::string&) {});
    return result ? "" : result.error().message;
  }
};

class FileStoreFixes : public FileStoreTest, public testing::WithParamInterface<std::string> {};

// One fp32 file that fits a block: the same batches in the same order, over several epochs.
TEST_P(FileStoreFixes, TrainsToTheBitAsFromMemory) {
  Config config = tiny_config();
  config.rows = 500;  // seven batches and a rest
  if (!GetParam().empty()) {
    ASSERT_TRUE(switch_fixes(config.fixes, {GetParam()}, true));
  }
  EXPECT_EQ(losses(written(config), 20), losses(config, 20));
}
INSTANTIATE_TEST_SUITE_P(Fixes, FileStoreFixes, testing::Values("", "device_data", "sparse_step"),
                         [](const auto& about) {
                           return about.param.empty() ? "baseline" : about.param;
                         });

// There sums may be made in another order each time.
TEST_F(FileStoreTest, TrainsOnAGpuAsFromMemory) {
  const auto chosen = trainers::choose_device(trainers::DeviceWish::automatic);
  ASSERT_TRUE(chosen);
  if (!chosen->device.is_cuda()) GTEST_SKIP() << "no GPU";
  for (const bool device_data : {false, true}) {
    Config config = tiny_config();
    config.fixes.device_data = device_data;
    const std::vector<double> memory = losses(config, 20, chosen->device);
    const std::vector<double> files = losses(written(config), 20, chosen->device);
    for (std::size_t step = 0; step < 20; ++step)
      EXPECT_NEAR(files[step], memory[step], 1e-3 * memory[step]) << step;
    fs::remove_all(folder_);
  }
}

// Skipping counts the batch that is being copied already.
TEST_F(FileStoreTest, SkipIsAsIfTheBatchesHadBeenTaken) {
  for (const bool device_data : {false, true}) {
    Config config = written(tiny_config(), 100);
    config.fixes.device_data = device_data;
    const auto whole = open_file_store(config, at::kCPU),
               skipping = open_file_store(config, at::kCPU);
    std::vector<at::Tensor> all;
    for (int i = 0; i < 40; ++i) all.push_back((*whole)->next()->targets[2]);
    for (std::size_t i = 3; i < 40; i += 4) {
      (*skipping)->skip(3);
      EXPECT_TRUE((*skipping)->next()->targets[2].equal(all[i])) << i;
    }
    fs::remove_all(config.data);
  }
}

// What ranks that share rows take: through both ways to the device.
TEST_F(FileStoreTest, GivesOwnRowsOfEachBatch) {
  for (const bool device_data : {false, true}) {
    Config config = written(tiny_config(), 100);
    config.fixes.device_data = device_data;
    const auto whole = open_file_store(config, at::kCPU);
    const auto last = open_activations(config, at::kCPU, trainers::Span{48, 64});
    for (int i = 0; i < 20; ++i) {
      const Batch all = *(*whole)->next(), own = *(*last)->next();
      EXPECT_TRUE(own.inputs[0].equal(all.inputs[0].slice(0, 48, 64))) << i;
      EXPECT_TRUE(own.targets[2].equal(all.targets[2].slice(0, 48, 64))) << i;
    }
    fs::remove_all(config.data);
  }
}

// Several files are drawn in another order, and bf16 rounds to 8 bits: the same training within
// what the choice of batches makes. Mean of the last 50 losses.
TEST_F(FileStoreTest, ManyChunksOfBfloat16TrainAsWell) {
  Config config = tiny_config();
  config.steps = 200;
  config.learning_rate = 3e-3;
  const auto tail = [](const std::vector<double>& all) {
    double sum = 0;
    for (std::size_t i = all.size() - 50; i < all.size(); ++i) sum += all[i];
    return sum / 50;
  };
  const std::vector<double> memory = losses(config, 200);
  const std::vector<double> files = losses(written(config, 100, at::kBFloat16), 200);
  EXPECT_LT(tail(memory), 0.7 * memory.front());
  EXPECT_NEAR(tail(files), tail(memory), 0.1 * tail(memory));
}

// 512 rows are all measured, so the numbers are those of norm_stats.json up to rounding.
TEST_F(FileStoreTest, WithoutStatsTheFirstRowsAreMeasuredAndThatIsSaid) {
  const Config config = written(tiny_config(), 100);
  EXPECT_THAT((*open_file_store(config, at::kCPU))->about(),
              AllOf(HasSubstr("512 rows in 6 chunks"), HasSubstr("float32"),
                    HasSubstr("by norm_stats.json")));
  const std::vector<double> with = losses(config, 3);
  fs::remove(fs::path(config.data) / "norm_stats.json");
  EXPECT_THAT((*open_file_store(config, at::kCPU))->about(),
              HasSubstr("first 512 rows (it has no norm_stats.json)"));
  const std::vector<double> without = losses(config, 3);
  for (std::size_t step = 0; step < 3; ++step)
    EXPECT_NEAR(without[step], with[step], 1e-4 * with[step]);
}

TEST_F(FileStoreTest, BatchesAreNormalised) {
  Config config = written(tiny_config(), 100);
  config.batch = 512;
  const auto store = open_file_store(config, at::kCPU);
  const Result<Batch> batch = (*store)->next();
  ASSERT_TRUE(batch);
  for (const at::Tensor& layer : batch->targets) {
    EXPECT_LT(layer.mean(0).abs().max().item<double>(), 1e-4);
    EXPECT_LT((layer.std(0) - 1).abs().max().item<double>(), 1e-3);
  }
}

TEST_F(FileStoreTest, ARunTellsTheStoresRowsAndFolder) {
  Config config = written(tiny_config(), 100);
  config.rows = 7;  // ignored
  std::vector<std::string> lines;
  const auto result = run(config, [&](const std::string& line) { lines.push_back(line); });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(lines.front(), HasSubstr("data " + config.data));
  const auto json = nlohmann::json::parse(to_json(config, *result));
  EXPECT_EQ(json["config"]["rows"], 512);
  EXPECT_EQ(json["config"]["data"], config.data);
}

TEST_F(FileStoreTest, AResumedRunReadsOnWhereItStopped) {
  Config whole = written(tiny_config(), 100);
  Config first = whole, second = whole;
  first.steps = 13;
  first.checkpoint = second.resume = folder_ / "checkpoint";
  ASSERT_EQ(error_of(first), "");
  const auto say = [](const std::string&) {};
  const auto resumed = run(second, say), expected = run(whole, say);
  ASSERT_TRUE(resumed && expected);
  EXPECT_EQ(resumed->last_loss, expected->last_loss);
}

TEST_F(FileStoreTest, WhatDoesNotFitTheRunIsNamed) {
  const Config config = written(tiny_config(), 100);
  Config other = config;
  other.batch = 513;
  EXPECT_THAT(error_of(other), HasSubstr("has 512 rows, fewer than --batch 513"));
  other = config;
  other.d_model = 8;
  EXPECT_THAT(error_of(other), HasSubstr("--layers 3 --d-model 16"));
  other = config;
  other.data = folder_ / "none";
  EXPECT_THAT(error_of(other), HasSubstr("no such folder"));
  std::ofstream(fs::path(config.data) / "norm_stats.json") << "{}";
  EXPECT_THAT(error_of(config), HasSubstr("norm_stats.json: it is of 0 layers"));
}

// Behind the first look: the run ends with the Error of the step that needed the file.
TEST_F(FileStoreTest, AFileThatGoesAwayEndsTheRun) {
  for (const bool sparse : {false, true}) {
    Config config = written(tiny_config(), 100);
    config.fixes.sparse_step = sparse;
    auto store = open_file_store(config, at::kCPU);
    const auto trainer = make_training(config, at::kCPU, std::move(*store));
    fs::remove(fs::path(config.data) / "chunk_3.h5");
    Result<StepResult> step = StepResult{};
    for (std::int64_t index = 0; index < 8 && step; ++index) step = trainer->step(index);
    ASSERT_FALSE(step);
    EXPECT_THAT(step.error().message, HasSubstr("chunk_3.h5"));
    fs::remove_all(config.data);
  }
}

}  // namespace
}  // namespace stepscope::clt
