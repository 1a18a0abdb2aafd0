// SPDX-License-Identifier: Apache-2.0
// Several ranks, as threads of one process, train what one process does that accumulates as many
// micro-batches.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "reference_trainers/llm/data/corpus.hpp"
#include "reference_trainers/llm/training/training.hpp"
#include "tests/reference_trainers/comm/in_process_ranks.hpp"
#include "tests/reference_trainers/llm/small_run.hpp"

namespace stepscope::llm {
namespace {

struct Trained {
  std::vector<StepLog> log;
  NamedTensors state;
  std::int64_t sent_early = 0;
};

Trained train(const Config& config, trainers::Comm* group) {
  at::set_num_threads(1);
  Training training(config, at::kCPU, group);
  const Result<Corpus> corpus = open_corpus(config);
  training.begin_at(0, make_feed(config, corpus->stream, at::kCPU, 0));
  Trained out;
  for (std::int64_t index = 0; index < config.steps; ++index) {
    const Result<std::vector<StepLog>> read = training.step(index);
    EXPECT_TRUE(read) << read.error().message;
    out.log.insert(out.log.end(), read->begin(), read->end());
  }
  out.state = training.state();
  if (training.buckets() != nullptr) out.sent_early = training.buckets()->sent_early();
  return out;
}

std::vector<Trained> train_as_ranks(Config config, int ranks) {
  std::vector<Trained> all(static_cast<std::size_t>(ranks));
  config.ranks = ranks;
  trainers::run_ranks(ranks, [&](trainers::Comm& comm) {
    Config own = config;
    own.rank = comm.rank();
    all[static_cast<std::size_t>(comm.rank())] = train(own, &comm);
  });
  return all;
}

// Sums of a step's gradients in another order.
constexpr double kRankTolerance = 2e-5, kRankHalfTolerance = 5e-3;

void expect_as_one_process(Config config, int ranks, double tolerance) {
  Config alone = config;
  alone.accumulate *= ranks;
  const Trained one = train(alone, nullptr);
  const std::vector<Trained> all = train_as_ranks(config, ranks);
  for (const Trained& rank : all) {
    ASSERT_EQ(rank.log.size(), one.log.size());
    for (std::size_t i = 0; i < one.log.size(); ++i) {
      EXPECT_NEAR(rank.log[i].loss, one.log[i].loss, tolerance * one.log[i].loss) << i;
      EXPECT_NEAR(rank.log[i].gradient_norm, one.log[i].gradient_norm,
                  20 * tolerance * one.log[i].gradient_norm);
      EXPECT_EQ(rank.log[i].loss, all[0].log[i].loss) << "the same on every rank";
    }
    ASSERT_EQ(rank.state.size(), one.state.size());
    for (std::size_t i = 0; i < one.state.size(); ++i) {
      EXPECT_EQ(rank.state[i].first, one.state[i].first);
      EXPECT_EQ(rank.state[i].second.sizes(), one.state[i].second.sizes());
      EXPECT_TRUE(rank.state[i].second.equal(all[0].state[i].second)) << rank.state[i].first;
    }
  }
}

TEST(LlmRanks, TrainAsOneProcess) {
  Config config = small_config(6);
  expect_as_one_process(config, 2, kRankTolerance);
  config.accumulate = 2;
  config.rungs = *rungs_up_to("R5b");
  expect_as_one_process(config, 3, kRankHalfTolerance);
}

// Scales of 8 bits follow from the greatest magnitude of all ranks' numbers.
TEST(LlmRanks, TrainAsOneProcessInEightBits) {
  Config config = small_config(5);
  config.rungs = *rungs_up_to("R6e");
  config.rungs.fp8 = config.rungs.fp8_head = true;
  expect_as_one_process(config, 2, kRankHalfTolerance);
  config.zero = true;
  expect_as_one_process(config, 2, kRankHalfTolerance);
}

TEST(LlmRanks, TrainAsOneProcessWithSharesOfTheOptimizer) {
  Config config = small_config(6);
  config.zero = true;
  expect_as_one_process(config, 3, kRankTolerance);
  config.rungs = *rungs_up_to("R6e");
  expect_as_one_process(config, 2, kRankHalfTolerance);
}

// Nothing but who keeps the optimizer's state differs.
TEST(LlmRanks, SharesGiveTheLossesOfWholes) {
  Config config = small_config(5);
  const Trained wholes = train_as_ranks(config, 2)[0];
  config.zero = true;
  const Trained shares = train_as_ranks(config, 2)[0];
  for (std::size_t i = 0; i < wholes.log.size(); ++i)
    EXPECT_NEAR(wholes.log[i].loss, shares.log[i].loss, 1e-6 * wholes.log[i].loss) << i;
}

TEST(LlmRanks, BucketsAreSentBeforeTheBackwardPassEnds) {
  Config config = small_config(2);
  config.bucket_mb = 1;
  config.shape.d_model = 192;
  config.shape.hidden = 512;
  config.shape.layers = 3;
  EXPECT_GE(train_as_ranks(config, 2)[0].sent_early, 2 * 2) << "at least two buckets a step";
}

}  // namespace
}  // namespace stepscope::llm
