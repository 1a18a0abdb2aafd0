// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/batch_topk.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include "kernels/aten/bitmask.hpp"
#include "tests/kernels/aten/on_devices.hpp"

namespace stepscope::aten {
namespace batch_topk_test {

constexpr std::int64_t kRows = 12, kColumns = 20, kK = 3;

class AtenBatchTopk : public OnDevices {
 protected:
  // Different integers that each type holds, half of them negative.
  at::Tensor different(at::ScalarType type) {
    return (at::randperm(kRows * kColumns, random_, at::TensorOptions(at::kLong))
                .view({kRows, kColumns}) -
            kRows * kColumns / 2)
        .to(device_, type);
  }
};

at::Tensor zero_below(const at::Tensor& acts, std::int64_t count) {
  const at::Tensor least = std::get<0>(acts.flatten().sort(0, true)).select(0, count - 1);
  return at::where(acts >= least, acts, at::zeros_like(acts));
}

TEST_P(AtenBatchTopk, KeepsTheGreatestOfTheMatrix) {
  for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16}) {
    const at::Tensor acts = different(type);
    expect_equal(batch_topk(acts, kK, false, false), zero_below(acts, kK * kRows));
  }
}

TEST_P(AtenBatchTopk, ReadsTransposedMatrices) {
  const at::Tensor acts = different(at::kFloat);
  expect_equal(batch_topk(acts.t(), kK, false, false), zero_below(acts, kK * kColumns).t());
}

TEST_P(AtenBatchTopk, TheGradientGoesWhereEntriesAreKept) {
  const at::Tensor acts = learnt(different(at::kFloat) + 0.5);
  const at::Tensor kept = batch_topk(acts, kK, false, false);
  const at::Tensor weights = normal({kRows, kColumns});
  (kept * weights).sum().backward();
  expect_equal(acts.grad(), at::where(kept != 0, weights, at::zeros_like(weights)));
}

TEST_P(AtenBatchTopk, ZScoresRankAndTheValuesStay) {
  const at::Tensor acts = normal({kRows, kColumns}) * 3 + normal({1, kColumns}) * 10;
  const at::Tensor wide = acts.to(at::kDouble);
  const at::Tensor keys = (wide - wide.mean(0)) / (wide.std(0) + 1e-6);
  const at::Tensor sorted = std::get<0>(keys.flatten().sort(0, true));
  const at::Tensor between = (sorted[kK * kRows - 1] + sorted[kK * kRows]) / 2;
  ASSERT_GT((sorted[kK * kRows - 1] - sorted[kK * kRows]).item<double>(), 1e-5);
  expect_equal(batch_topk(acts, kK, true, false),
               at::where(keys > between, acts, at::zeros_like(acts)));
}

TEST_P(AtenBatchTopk, ThereMayBeFewerPositives) {
  const at::Tensor acts = different(at::kFloat);
  expect_equal(batch_topk(acts, kColumns, false, true), acts.clamp_min(0));
}

TEST_P(AtenBatchTopk, TheThresholdIsTheLeastSelected) {
  const at::Tensor acts = different(at::kFloat);
  BatchTopkMemory memory;
  BatchTopkWanted wanted;
  wanted.count = 17;
  for (int call = 0; call < 2; ++call) {  // the second starts warm
    const at::Tensor mask = batch_topk_mask(acts, wanted, memory);
    EXPECT_EQ(bitmask_to_bool(mask, kColumns).sum().item<std::int64_t>(), 17);
    EXPECT_EQ(batch_topk_threshold(memory).item<float>(),
              std::get<0>(acts.flatten().sort(0, true))[16].item<float>());
  }
}

TEST_P(AtenBatchTopk, ACountInTensorsReplacesTheGivenOne) {
  BatchTopkMemory memory;
  BatchTopkWanted wanted;
  wanted.device_count = at::full({1}, 5, at::TensorOptions(device_).dtype(at::kLong));
  const at::Tensor mask = batch_topk_mask(different(at::kFloat), wanted, memory);
  EXPECT_EQ(bitmask_to_bool(mask, kColumns).sum().item<std::int64_t>(), 5);
}

TEST_P(AtenBatchTopk, KnownStatisticsGiveTheSameMask) {
  const at::Tensor acts = normal({kRows, kColumns});
  BatchTopkMemory own, given;
  BatchTopkWanted wanted;
  wanted.count = kK * kRows;
  wanted.keys = kernels::KeySource::z_score;
  const at::Tensor expected = batch_topk_mask(acts, wanted, own);
  column_statistics(acts, given);
  wanted.keys = kernels::KeySource::affine;
  expect_equal(batch_topk_mask(acts, wanted, given), expected);
  expect_near(given.mean, acts.mean(0), 1e-6);
  expect_near(given.scale, 1 / (acts.std(0) + 1e-6), 1e-5);
}

TEST_P(AtenBatchTopk, BadArgumentsAreNamed) {
  const at::Tensor acts = different(at::kFloat);
  expect_refused([&] { (void)batch_topk(acts, -1, false, false); }, "k: must be 0 or more, is -1");
  expect_refused([&] { (void)batch_topk(acts.flatten(), 1, false, false); },
                 "acts: must have 2 dimensions, has 1");
  expect_refused([&] { (void)batch_topk(acts.to(at::kDouble), 1, false, false); },
                 "acts: must be float32, float16 or bfloat16, is Double");
  BatchTopkMemory memory;
  BatchTopkWanted wanted;
  wanted.keys = kernels::KeySource::affine;
  expect_refused([&] { (void)batch_topk_mask(acts, wanted, memory); }, "mean: must be given");
}

TEST_P(AtenBatchTopk, AGradientOfTheGradientIsRefused) {
  const at::Tensor acts = learnt(different(at::kFloat));
  const at::Tensor sum = batch_topk(acts, kK, false, false).square().sum();
  expect_refused(
      [&] { (void)torch::autograd::grad({sum}, {acts}, {}, true, /*create_graph=*/true); },
      "bitmask_keep: its gradient has no gradient");
}

STEPSCOPE_ON_DEVICES(AtenBatchTopk);

}  // namespace batch_topk_test
}  // namespace stepscope::aten
