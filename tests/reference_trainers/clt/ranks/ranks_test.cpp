// SPDX-License-Identifier: Apache-2.0
// Training by several ranks, threads of this process, against one that does it all.
#include "reference_trainers/clt/ranks/ranks.hpp"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>

#include <string>
#include <tuple>
#include <vector>

#include "reference_trainers/clt/training/training.hpp"
#include "reference_trainers/clt/variants.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"
#include "tests/reference_trainers/comm/in_process_ranks.hpp"

namespace stepscope::clt {
namespace {

std::vector<StepResult> train(const Config& config, trainers::Comm& comm) {
  const auto trainer = make_training(config, at::kCPU, &comm);
  std::vector<StepResult> results;
  for (std::int64_t step = 0; step < config.steps; ++step) results.push_back(*trainer->step(step));
  return results;
}

std::vector<std::vector<StepResult>> train_by(int ranks, const Config& config) {
  at::set_num_threads(1);
  std::vector<std::vector<StepResult>> results(static_cast<std::size_t>(ranks));
  trainers::run_ranks(ranks, [&](trainers::Comm& comm) {
    results[static_cast<std::size_t>(comm.rank())] = train(config, comm);
  });
  return results;
}

// Sparsity and the pull on silent features are on, so that every part is summed.
Config config_of(const std::string& variant, Parallel parallel) {
  Config config = tiny_config();
  config.features = 61;  // divides by no number of ranks
  config.sparsity_lambda = 1e-4;
  config.preactivation_coef = 0.1;
  config.parallel = parallel;
  if (variant == "baseline") return config;
  config.fixes = find_variant("optimized")->fixes;
  config.fixes.moments_8bit = false;  // rounds by an index within a rank
  if (variant == "optimized") (void)switch_fixes(config.fixes, {"sparse_step"}, false);
  if (variant == "lists") config.preactivation_coef = 0;  // so that sparse_encoder takes its list
  return config;
}

void expect_equal_steps(const StepResult& one, const StepResult& other) {
  ASSERT_EQ(one.losses.has_value(), other.losses.has_value());
  if (one.losses) {
    EXPECT_NEAR(one.losses->total, other.losses->total, 3e-6 * one.losses->total);
    EXPECT_NEAR(one.losses->reconstruction, other.losses->reconstruction,
                3e-6 * one.losses->reconstruction);
    EXPECT_NEAR(one.losses->sparsity, other.losses->sparsity, 1e-5 * one.losses->sparsity);
    EXPECT_NEAR(one.losses->preactivation, other.losses->preactivation,
                1e-5 * one.losses->preactivation);
  }
  ASSERT_EQ(one.metrics.has_value(), other.metrics.has_value());
  if (!one.metrics) return;
  EXPECT_NEAR(one.metrics->nmse, other.metrics->nmse, 1e-5);
  EXPECT_NEAR(one.metrics->explained_variance, other.metrics->explained_variance, 1e-5);
  EXPECT_NEAR(one.metrics->l0, other.metrics->l0, 1e-3);
  EXPECT_NEAR(one.metrics->log_density, other.metrics->log_density, 1e-4);
  EXPECT_EQ(one.metrics->dead, other.metrics->dead);
}

class SeveralRanks : public testing::TestWithParam<std::tuple<std::string, Parallel, int>> {};

TEST_P(SeveralRanks, ReachTheLossesOfOne) {
  const auto [variant, parallel, ranks] = GetParam();
  const Config config = config_of(variant, parallel);
  const auto alone = train_by(1, config).front();
  for (const std::vector<StepResult>& of_rank : train_by(ranks, config)) {
    ASSERT_EQ(of_rank.size(), alone.size());
    for (std::size_t step = 0; step < alone.size(); ++step)
      expect_equal_steps(alone[step], of_rank[step]);
  }
}

std::string name_of(const testing::TestParamInfo<SeveralRanks::ParamType>& about) {
  const auto& [variant, parallel, ranks] = about.param;
  return variant + (parallel == Parallel::data ? "_data_" : "_features_") + std::to_string(ranks);
}
INSTANTIATE_TEST_SUITE_P(
    Features, SeveralRanks,
    testing::Combine(testing::Values("baseline", "optimized", "sparse", "lists"),
                     testing::Values(Parallel::features), testing::Values(2, 3, 4)),
    name_of);
INSTANTIATE_TEST_SUITE_P(Data, SeveralRanks,
                         testing::Combine(testing::Values("baseline", "optimized"),
                                          testing::Values(Parallel::data), testing::Values(2, 4)),
                         name_of);

// The chances of rounding are others: losses are one rank's within its tenths of a per cent.
TEST(Ranks, WithMomentsOf8BitsReachNearlyTheLossesOfOne) {
  Config config = config_of("lists", Parallel::features);
  config.fixes.moments_8bit = true;
  const auto alone = train_by(1, config).front();
  for (const int ranks : {2, 3}) {
    for (const std::vector<StepResult>& of_rank : train_by(ranks, config)) {
      for (std::size_t step = 0; step < alone.size(); ++step) {
        if (!alone[step].losses) continue;
        EXPECT_NEAR(of_rank[step].losses->total / alone[step].losses->total, 1, 0.01) << step;
      }
    }
  }
}

// Dead features of all ranks: counted, chosen and rebuilt from together.
Config with_dead_features(Config config) {
  config.k = 2;
  config.dead_window = 3;
  config.aux_k = 16;
  config.aux_k_coef = 1;
  return config;
}

TEST_P(SeveralRanks, BringDeadFeaturesBackAsOneDoes) {
  const auto [variant, parallel, ranks] = GetParam();
  const Config config = with_dead_features(config_of(variant, parallel));
  const auto alone = train_by(1, config).front();
  EXPECT_GT(alone.back().losses->auxiliary, 0);
  for (const std::vector<StepResult>& of_rank : train_by(ranks, config)) {
    for (std::size_t step = 0; step < alone.size(); ++step) {
      expect_equal_steps(alone[step], of_rank[step]);
      if (!alone[step].losses) continue;
      const double expected = alone[step].losses->auxiliary;
      EXPECT_NEAR(of_rank[step].losses->auxiliary, expected, 1e-5 * expected);
    }
  }
}

// Three or four features of a layer each: most ranks have layers without a dead one, and the last
// steps keep all that are dead.
TEST(Ranks, WithoutDeadFeaturesOfTheirOwnTakePart) {
  for (const char* variant : {"baseline", "sparse"}) {
    Config config = with_dead_features(config_of(variant, Parallel::features));
    config.dead_window = 12;
    for (const std::int64_t aux_k : {2, 64}) {
      config.aux_k = aux_k;
      const auto alone = train_by(1, config).front().back();
      const auto several = train_by(16, config);
      EXPECT_GT(alone.losses->auxiliary, 0);
      for (const auto& of_rank : several)
        EXPECT_NEAR(of_rank.back().losses->auxiliary, alone.losses->auxiliary,
                    1e-5 * alone.losses->auxiliary)
            << variant << aux_k;
    }
  }
}

TEST(Ranks, KeepTheGreatestOfAll) {
  Config config = tiny_config();
  config.features = 10;
  const at::Tensor whole = at::rand({5, 10});
  const std::int64_t count = 4;
  const at::Tensor least = std::get<0>(whole.topk(count, 1)).select(1, count - 1).unsqueeze(1);
  const at::Tensor expected = whole * (whole >= least);
  trainers::run_ranks(3, [&](trainers::Comm& comm) {
    const Ranks ranks(config, comm);
    const trainers::Span own = ranks.features();
    EXPECT_TRUE(ranks.keep_greatest(whole.slice(1, own.begin, own.end), count)
                    .equal(expected.slice(1, own.begin, own.end)));
    // Some of the equal ones are kept, and no more than so many.
    const at::Tensor equal = ranks.keep_greatest(at::ones({5, comm.rank()}), 2);
    EXPECT_TRUE(ranks.sum(equal.sum(1)).equal(at::full({5}, 2.0)));
  });
}

// The decoders' biases, which every rank keeps, and with data the whole model.
TEST(Ranks, WhatAllHoldStaysTheSameBits) {
  for (const Parallel parallel : {Parallel::features, Parallel::data}) {
    const Config config = config_of("optimized", parallel);
    std::vector<TrainerState> states(2);
    trainers::run_ranks(2, [&](trainers::Comm& comm) {
      const auto trainer = make_training(config, at::kCPU, &comm);
      for (std::int64_t step = 0; step < 10; ++step) ASSERT_TRUE(trainer->step(step));
      states[static_cast<std::size_t>(comm.rank())] = trainer->state();
    });
    const std::int64_t biases = config.layers;
    int compared = 0;
    for (std::size_t i = 0; i < states[0].size(); ++i) {
      const at::Tensor &one = states[0][i].second, &other = states[1][i].second;
      const bool is_bias = one.dim() == 1 && one.size(0) == config.d_model;
      if (parallel == Parallel::features && !is_bias) continue;
      EXPECT_TRUE(one.equal(other)) << states[0][i].first;
      ++compared;
    }
    EXPECT_GE(compared, 3 * biases);
  }
}

TEST(Ranks, ShareAWholeWithoutGapsOrOverlap) {
  for (const std::int64_t whole : {5, 8, 61})
    for (const int size : {1, 2, 3, 5}) {
      std::int64_t end = 0;
      for (int rank = 0; rank < size; ++rank) {
        const trainers::Span span = trainers::share_of(whole, rank, size);
        EXPECT_EQ(span.begin, end);
        EXPECT_GE(span.size(), whole / size);
        EXPECT_LE(span.size(), whole / size + 1);
        end = span.end;
      }
      EXPECT_EQ(end, whole);
    }
}

TEST(Ranks, WhatDoesNotFitIsSaid) {
  const auto message = [](const Config& config, int ranks) {
    const Status fits = check_ranks(config, ranks);
    return fits ? "" : fits.error().message;
  };
  Config config = tiny_config();
  EXPECT_EQ(message(config, 64), "");
  EXPECT_THAT(message(config, 65), testing::HasSubstr("65 ranks share --features 64"));
  config.parallel = Parallel::data;
  EXPECT_EQ(message(config, 4), "");
  EXPECT_THAT(message(config, 3), testing::HasSubstr("--batch 64 does not divide by 3 ranks"));
  config.fixes.sparse_step = true;
  EXPECT_THAT(message(config, 2), testing::HasSubstr("--without sparse_step"));
  EXPECT_EQ(message(config, 1), "");
  config = tiny_config();
  config.hierarchical_ranks = 4;
  EXPECT_THAT(message(config, 2), testing::HasSubstr("--variant hierarchical"));
  EXPECT_EQ(message(config, 1), "");
  config = tiny_config();
  config.to_jump_relu = "thresholds";
  EXPECT_THAT(message(config, 2), testing::HasSubstr("--to-jumprelu converts in one process"));
  EXPECT_EQ(message(config, 1), "");
}

}  // namespace
}  // namespace stepscope::clt
