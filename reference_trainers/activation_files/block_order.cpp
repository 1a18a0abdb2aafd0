// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/block_order.hpp"

#include <ATen/ops/randperm.h>

#include <numeric>
#include <utility>

namespace stepscope::trainers {

BlockOrder::BlockOrder(std::vector<std::int64_t> block_rows, at::Generator random)
    : block_rows_(std::move(block_rows)),
      all_rows_(std::accumulate(block_rows_.begin(), block_rows_.end(), std::int64_t{0})),
      random_(std::move(random)) {}

BlockDraw BlockOrder::draw() {
  const auto count = static_cast<std::int64_t>(block_rows_.size());
  if (!blocks_.defined() || next_ == count) {
    blocks_ = at::randperm(count, random_);
    next_ = 0;
  }
  const auto block = static_cast<std::size_t>(blocks_.const_data_ptr<std::int64_t>()[next_++]);
  return {block, at::randperm(block_rows_[block], random_), 0, next_ == count};
}

BlockDraw BlockOrder::next() {
  if (begun_) return *std::exchange(begun_, std::nullopt);
  return draw();
}

void BlockOrder::skip(std::int64_t batches, std::int64_t batch) {
  const std::int64_t an_epoch = all_rows_ / batch;
  for (std::int64_t epoch = 0; epoch < batches / an_epoch; ++epoch) {
    while (!draw().ends_epoch) continue;
  }
  for (std::int64_t left = batches % an_epoch * batch; left > 0;) {
    BlockDraw drawn = draw();
    const std::int64_t taken = std::min(left, drawn.rows.size(0));
    left -= taken;
    drawn.used = taken;
    if (left == 0) begun_ = drawn;
  }
}

}  // namespace stepscope::trainers
