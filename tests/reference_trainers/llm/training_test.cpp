// SPDX-License-Identifier: Apache-2.0
// Every rung trains what R0 trains, and it learns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference_trainers/llm/small_run.hpp"

namespace stepscope::llm {
namespace {

// What bfloat16 leaves of a loss over a few steps; float32 rungs differ by its rounding.
constexpr double kHalfTolerance = 0.01, kFloatTolerance = 1e-4;

double largest_difference(const RunResult& a, const RunResult& b) {
  double largest = 0;
  EXPECT_EQ(a.log.size(), b.log.size());
  for (std::size_t i = 0; i < std::min(a.log.size(), b.log.size()); ++i)
    largest = std::max(largest, std::abs(a.log[i].loss - b.log[i].loss) / a.log[i].loss);
  return largest;
}

TEST(RungParity, EachAloneAndAllUpToItTrainTheSame) {
  Config config = small_config(8);
  const RunResult naive = run_quietly(config);
  for (const Rung& rung : all_rungs()) {
    if (rung.on == nullptr) continue;
    config.rungs = {};
    ASSERT_TRUE(switch_rungs(config.rungs, {rung.name}, true));
    const double tolerance = config.rungs.bf16 ? kHalfTolerance : kFloatTolerance;
    EXPECT_LT(largest_difference(naive, run_quietly(config)), tolerance) << rung.name;
    config.rungs = *rungs_up_to(rung.id);
    EXPECT_LT(largest_difference(naive, run_quietly(config)), kHalfTolerance) << rung.id;
  }
}

TEST(RungParity, GradientNormsAreTheSame) {
  Config config = small_config(4);
  const RunResult naive = run_quietly(config);
  config.rungs.fused_adamw = config.rungs.packed = config.rungs.sdpa = true;
  const RunResult fused = run_quietly(config);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(naive.log[i].gradient_norm, fused.log[i].gradient_norm,
                1e-3 * naive.log[i].gradient_norm);
}

TEST(Accumulation, TwoHalvesAreAWholeBatch) {
  Config whole = small_config(5);
  whole.micro_batch = 4;
  Config halves = whole;
  halves.micro_batch = 2;
  halves.accumulate = 2;
  EXPECT_LT(largest_difference(run_quietly(whole), run_quietly(halves)), kFloatTolerance);
}

// A uniform guess is ln 512 = 6.24, the words' frequencies alone give 5.1, the grammar needs 2.4.
TEST(Learning, TheLossFallsBelow4) {
  Config config = small_config(150);
  use_preset(config, *find_preset("tiny"));
  config.corpus_tokens = 1 << 18;  // more than the steps read: nothing is seen twice
  config.rungs = {.sdpa = true, .packed = true, .fused_adamw = true};
  const RunResult result = run_quietly(config);
  ASSERT_EQ(result.log.size(), 150U);
  EXPECT_NEAR(result.log.front().loss, 6.24, 0.1);
  EXPECT_LT(result.log.back().loss, 4.0);
}

}  // namespace
}  // namespace stepscope::llm
