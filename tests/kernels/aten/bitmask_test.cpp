// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/bitmask.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "kernels/aten/batch_topk.hpp"
#include "tests/kernels/aten/on_devices.hpp"

namespace stepscope::aten {
namespace bitmask_test {

constexpr std::int64_t kRows = 9, kColumns = 70, kWords = 3;

class AtenBitmask : public OnDevices {
 protected:
  void SetUp() override {
    OnDevices::SetUp();
    if (IsSkipped()) return;
    selected_ = normal({kRows, kColumns}) > 0.8;
    mask_ = packed(selected_);
    values_ = normal({kRows, kColumns});
    count_ = selected_.sum().item<std::int64_t>();
  }

  // Bit c % 32 of word c / 32, added up in int64.
  at::Tensor packed(const at::Tensor& selected) const {
    at::Tensor padded =
        at::zeros({kRows, kWords * 32}, at::TensorOptions(device_).dtype(at::kLong));
    padded.slice(1, 0, kColumns).copy_(selected);
    const at::Tensor bits = at::arange(32, padded.options());
    return padded.view({kRows, kWords, 32}).bitwise_left_shift(bits).sum(2).to(at::kInt);
  }

  // Lines of `selected` with the values there.
  void expect_list(const FeatureList& found, const at::Tensor& selected, const at::Tensor& values) {
    const at::Tensor entries = at::nonzero(selected);
    expect_equal(found.offsets.slice(0, 1), selected.sum(1).cumsum(0));
    EXPECT_EQ(found.offsets[0].item<std::int64_t>(), 0);
    expect_equal(found.indices.slice(0, 0, count_), entries.select(1, 1).to(at::kInt));
    expect_equal(found.values.slice(0, 0, count_), values.index({selected}));
  }

  at::Tensor selected_, mask_, values_;
  std::int64_t count_ = 0;
};

TEST_P(AtenBitmask, BitsAreEntriesOfABoolTensor) {
  expect_equal(bitmask_to_bool(mask_, kColumns), selected_);
}

TEST_P(AtenBitmask, KeptValuesAndTheirGradients) {
  const at::Tensor zeros = at::zeros_like(values_);
  const at::Tensor values = learnt(values_);
  const at::Tensor kept = bitmask_keep(mask_, values);
  expect_equal(kept.detach(), at::where(selected_, values_, zeros));
  const at::Tensor weights = normal({kRows, kColumns});
  (kept * weights).sum().backward();
  expect_equal(values.grad(), at::where(selected_, weights, zeros));
}

TEST_P(AtenBitmask, CountsAreSumsOfTheBoolTensor) {
  expect_equal(bitmask_row_counts(mask_, kColumns), selected_.sum(1).to(at::kInt));
  expect_equal(bitmask_column_counts(mask_, kColumns), selected_.sum(0).to(at::kInt));
}

TEST_P(AtenBitmask, ListsByRowsAndByColumns) {
  for (const std::int64_t room : {count_, count_ + 5}) {
    expect_list(bitmask_list(mask_, values_, kernels::BitmaskLines::rows, room), selected_,
                values_);
    expect_list(bitmask_list(mask_, values_, kernels::BitmaskLines::columns, room), selected_.t(),
                values_.t());
  }
}

TEST_P(AtenBitmask, ValuesByRowsAreTurnedToColumns) {
  for (const std::int64_t room : {count_, count_ + 5}) {
    const FeatureList rows = bitmask_list(mask_, values_, kernels::BitmaskLines::rows, room);
    const FeatureList columns = bitmask_list(mask_, values_, kernels::BitmaskLines::columns, room);
    const TurnedValues found = turned(rows, columns, /*layers=*/2);
    const at::Tensor entries = at::nonzero(selected_.t());
    const at::Tensor layer = (entries.select(1, 0) >= kColumns / 2).to(at::kLong);
    expect_equal(found.rows.slice(0, 0, count_).to(at::kLong),
                 layer * kRows + entries.select(1, 1));
    expect_equal(found.values.slice(0, 0, count_), columns.values.slice(0, 0, count_));
    const at::Tensor kept = at::where(selected_, values_, at::zeros_like(values_));
    EXPECT_LT((found.sums - kept.sum(0)).abs().max().item<double>(), 1e-6);
  }
}

TEST_P(AtenBitmask, NumbersOfColumnsAreAddedToListedValues) {
  const at::Tensor addends = normal({kColumns});
  const at::Tensor sums = values_ + addends;
  expect_list(bitmask_list(mask_, values_, kernels::BitmaskLines::rows, count_, addends), selected_,
              sums);
  expect_list(bitmask_list(mask_, values_, kernels::BitmaskLines::columns, count_, addends),
              selected_.t(), sums.t());
}

// More blocks of 32 rows and 32 words than a warp has under way, and lines of several bits a word.
TEST_P(AtenBitmask, ListsOfALargeMask) {
  constexpr std::int64_t kTokens = 299, kFeatures = 9000;
  const at::Tensor keys = normal({kTokens, kFeatures});
  BatchTopkMemory memory;
  constexpr std::int64_t kSelected = 30 * kTokens;
  const at::Tensor mask = batch_topk_mask(keys, {.count = kSelected}, memory);
  selected_ = bitmask_to_bool(mask, kFeatures);
  count_ = kSelected;
  const at::Tensor addends = normal({kFeatures});
  const at::Tensor sums = keys + addends;
  expect_list(bitmask_list(mask, keys, kernels::BitmaskLines::rows, count_, addends), selected_,
              sums);
  expect_list(bitmask_list(mask, keys, kernels::BitmaskLines::columns, count_), selected_.t(),
              keys.t());
}

TEST_P(AtenBitmask, SilentStepsAreCountedByColumn) {
  const at::Tensor steps = at::arange(kColumns, at::TensorOptions(device_).dtype(at::kLong));
  const at::Tensor fires = (selected_ & (values_ > 0.5)).any(0);
  for (const std::int64_t room : {count_, count_ + 5}) {
    const FeatureList columns = bitmask_list(mask_, values_, kernels::BitmaskLines::columns, room);
    const at::Tensor counted = steps.clone();
    count_silent_steps(columns, 0.5, counted);
    expect_equal(counted, (steps + 1).masked_fill(fires, 0));
  }
}

TEST_P(AtenBitmask, ValuesOfAListGoBackToTheirPlaces) {
  const at::Tensor expected = at::where(selected_, values_, at::zeros_like(values_));
  for (const std::int64_t room : {count_, count_ + 5}) {
    const FeatureList list = bitmask_list(mask_, values_, kernels::BitmaskLines::rows, room);
    expect_equal(scattered(list, list.values, kColumns), expected);
  }
}

TEST_P(AtenBitmask, BadArgumentsAreNamed) {
  expect_refused([&] { (void)bitmask_to_bool(mask_, kColumns + 32); }, "mask: must be [rows, 4]");
  expect_refused([&] { (void)bitmask_to_bool(mask_.to(at::kLong), kColumns); },
                 "mask: must be Int, is Long");
  expect_refused([&] { (void)bitmask_keep(mask_, values_.slice(0, 1)); }, "mask: has 9 rows for 8");
  expect_refused([&] { (void)bitmask_list(mask_, values_, kernels::BitmaskLines::rows, -1); },
                 "entries: must be 0 or more");
}

STEPSCOPE_ON_DEVICES(AtenBitmask);

}  // namespace bitmask_test
}  // namespace stepscope::aten
