// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/row_topk.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/topk.h>

#include "tests/kernels/aten/on_devices.hpp"

namespace stepscope::aten {
namespace row_topk_test {

constexpr std::int64_t kRows = 7, kColumns = 65, kK = 9;

using AtenRowTopk = OnDevices;

at::Tensor topk_columns(const at::Tensor& acts) {
  return std::get<0>(std::get<1>(at::topk(acts, kK, 1)).sort(1));
}

TEST_P(AtenRowTopk, SelectsWhatTopkSelectsByColumn) {
  const at::Tensor acts = normal({kRows, kColumns});
  const auto [values, columns] = row_topk(acts, kK);
  expect_equal(columns, topk_columns(acts));
  expect_equal(values, acts.gather(1, columns));
}

TEST_P(AtenRowTopk, SixteenBitValuesAreTheirBits) {
  for (const at::ScalarType type : {at::kHalf, at::kBFloat16}) {
    const at::Tensor acts = normal({kRows, kColumns}).to(type);
    const auto [values, columns] = row_topk(acts, kK);
    expect_equal(values, acts.gather(1, columns));
    expect_equal(std::get<0>(values.sort(1, true)), std::get<0>(at::topk(acts, kK, 1)));
  }
}

TEST_P(AtenRowTopk, TheGradientIsThatOfGather) {
  const at::Tensor acts = learnt(normal({kRows, kColumns}));
  const at::Tensor dense = learnt(acts);
  const at::Tensor weights = normal({kRows, kK});
  const auto [values, columns] = row_topk(acts, kK);
  EXPECT_FALSE(columns.requires_grad());
  (values.square() * weights).sum().backward();
  (dense.gather(1, topk_columns(dense)).square() * weights).sum().backward();
  expect_equal(acts.grad(), dense.grad());
}

TEST_P(AtenRowTopk, BadArgumentsAreNamed) {
  const at::Tensor acts = normal({kRows, kColumns});
  expect_refused([&] { (void)row_topk(acts, 0); }, "k: must be 1 to 65, is 0");
  expect_refused([&] { (void)row_topk(acts, 66); }, "k: must be 1 to 65, is 66");
  expect_refused([&] { (void)row_topk(normal({1, 600}), 513); }, "k: must be 1 to 512, is 513");
  expect_refused([&] { (void)row_topk(acts.to(at::kInt), 1); },
                 "acts: must be float32, float16 or bfloat16, is Int");
}

STEPSCOPE_ON_DEVICES(AtenRowTopk);

}  // namespace row_topk_test
}  // namespace stepscope::aten
