// SPDX-License-Identifier: Apache-2.0
// What a run can do beside training (auxiliary loss, hierarchical selection, conversion), on
// activations in files.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/unique_dim.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "reference_trainers/clt/data/file_store.hpp"
#include "reference_trainers/clt/run.hpp"
#include "tests/reference_trainers/clt/data/written_activations.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

RunResult run_of(const Config& config) {
  const auto result = run(config, [](const std::string&) {});
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? *result : RunResult{};
}

class FileRun : public WrittenActivations {
 protected:
  Config converting(Config config) const {
    config.to_jump_relu = folder_ / "thresholds";
    config.jump_relu_batches = 2;
    return config;
  }
};

struct Feature {
  const char* name;
  std::function<void(Config&)> ask_for;
};

void PrintTo(const Feature& feature, std::ostream* out) {
  *out << feature.name;
}

void ask_for_auxiliary_loss(Config& config) {
  config.aux_k = 16;
  config.aux_k_coef = 1;
  config.dead_window = 3;
  config.k = 2;
}

std::vector<Feature> features() {
  const auto with = [](const char* fix) {
    return [fix](Config& config) { ASSERT_TRUE(switch_fixes(config.fixes, {fix}, true)); };
  };
  return {
      {"aux_k", ask_for_auxiliary_loss},
      {"aux_k_every_fix",
       [](Config& config) {
         ask_for_auxiliary_loss(config);
         config.fixes = every_fix();
       }},
      {"hierarchical", [](Config& config) { config.hierarchical_ranks = 4; }},
      {"hierarchical_sparse_step",
       [](Config& config) {
         config.hierarchical_ranks = 4;
         config.fixes.sparse_step = true;
       }},
      {"select_kernel", with("select_kernel")},
      {"sparse_decoder", with("sparse_decoder")},
      {"sparse_adam", with("sparse_adam")},
      {"sparse_encoder", with("sparse_encoder")},
      {"moments_8bit", with("moments_8bit")},
  };
}

class EachFeature : public FileRun, public testing::WithParamInterface<Feature> {};

// One fp32 file that fits a block, over several epochs, and a conversion behind them.
TEST_P(EachFeature, IsToTheBitAsFromMemory) {
  Config config = tiny_config();
  GetParam().ask_for(config);
  const Config recorded = written(config);
  const RunResult memory = run_of(converting(config)), files = run_of(converting(recorded));
  EXPECT_EQ(files.last_loss, memory.last_loss);
  EXPECT_EQ(files.metrics.dead, memory.metrics.dead);
  ASSERT_TRUE(files.conversion && memory.conversion);
  EXPECT_TRUE(
      files.conversion->jump_relu.thresholds.equal(memory.conversion->jump_relu.thresholds));
}
INSTANTIATE_TEST_SUITE_P(Features, EachFeature, testing::ValuesIn(features()),
                         [](const auto& about) { return about.param.name; });

at::Tensor rows_of(const std::vector<Batch>& batches) {
  std::vector<at::Tensor> inputs;
  for (const Batch& batch : batches) inputs.push_back(batch.inputs.front());
  return at::cat(inputs);
}

// 512 rows are 32 batches of 16. Distinct rows are what tells held-out ones from trained ones.
TEST_F(FileRun, HeldOutRowsAreThoseThatNoStepTookWhileTheEpochLasts) {
  Config config = written(tiny_config(), 100);
  config.batch = 16;
  for (const bool device_data : {false, true}) {
    config.fixes.device_data = device_data;
    const auto store = open_file_store(config, at::kCPU);
    (*store)->skip(4);
    std::vector<Batch> taken;
    for (int i = 0; i < 20; ++i) taken.push_back(*(*store)->next());
    const Result<HeldOut> left = (*store)->held_out(8), wrapped = (*store)->held_out(1);
    ASSERT_TRUE(left && wrapped);
    EXPECT_FALSE(left->trained_on);
    EXPECT_TRUE(wrapped->trained_on);
    taken.insert(taken.end(), left->batches.begin(), left->batches.end());
    EXPECT_EQ(std::get<0>(at::unique_dim(rows_of(taken), 0)).size(0), 28 * 16);
  }
}

TEST_F(FileRun, AConversionSaysOnWhatItWasMeasured) {
  Config config = written(tiny_config(), 100);
  config.batch = 16;
  config.steps = 22;  // 2 and 8 more are the epoch
  const RunResult held_out = run_of(converting(config));
  ASSERT_TRUE(held_out.conversion);
  EXPECT_FALSE(held_out.conversion->trained_on);
  EXPECT_EQ(held_out.conversion->measured_tokens, 8 * 16);
  EXPECT_THAT(summary(*held_out.conversion), HasSubstr("on 128 held-out tokens"));

  config.steps = 23;
  const RunResult trained = run_of(converting(config));
  ASSERT_TRUE(trained.conversion);
  EXPECT_THAT(summary(*trained.conversion),
              AllOf(HasSubstr("trained on"), HasSubstr("--data"), Not(HasSubstr("held-out"))));
  const auto json = nlohmann::json::parse(to_json(converting(config), trained));
  EXPECT_EQ(json["jumprelu"]["measured_on_trained_rows"], true);
}

// The checkpoint says how many batches of the epoch were taken.
TEST_F(FileRun, AFinishedCheckpointConvertsToTheSame) {
  Config config = written(tiny_config(), 100);
  config.batch = 16;
  config.steps = 23;
  config.checkpoint = folder_ / "checkpoint";
  const RunResult whole = run_of(converting(config));
  config.resume = config.checkpoint;
  const RunResult again = run_of(converting(config));
  ASSERT_TRUE(whole.conversion && again.conversion);
  EXPECT_TRUE(again.conversion->trained_on);
  EXPECT_EQ(again.conversion->after.nmse, whole.conversion->after.nmse);
  EXPECT_TRUE(again.conversion->jump_relu.thresholds.equal(whole.conversion->jump_relu.thresholds));
}

TEST_F(FileRun, AFileThatGoesAwayIsNamedByHeldOutRowsToo) {
  const Config config = written(tiny_config(), 100);
  const auto store = open_file_store(config, at::kCPU);
  std::filesystem::remove(std::filesystem::path(config.data) / "chunk_3.h5");
  const Result<HeldOut> rows = (*store)->held_out(8);
  ASSERT_FALSE(rows);
  EXPECT_THAT(rows.error().message, HasSubstr("chunk_3.h5"));
}

}  // namespace
}  // namespace stepscope::clt
