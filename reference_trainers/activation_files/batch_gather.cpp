// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/batch_gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference_trainers/activation_files/finite_copy.hpp"

namespace stepscope::trainers {

BatchGather::BatchGather(ActivationFiles files, NextBlock next_block, std::int64_t batch, Span own,
                         bool pinned)
    : files_(std::move(files)),
      next_block_(std::move(next_block)),
      batch_(batch),
      own_(own),
      memory_(files_.type, pinned) {}

Result<at::Tensor> BatchGather::next() {
  const at::Tensor out = memory_.take(2 * files_.layers * own_.size() * files_.d_model)
                             .view({2, files_.layers, own_.size(), files_.d_model});
  for (std::int64_t filled = 0; filled < batch_;) {
    if (!block_ || block_->draw.used == block_->span.rows) {
      if (block_ && block_->draw.ends_epoch) filled = 0;  // what is left over is dropped
      block_.reset();                                     // so that its memory can be read into
      Result<Block> block = next_block_();
      if (!block) return block.error();
      block_ = std::move(*block);
    }
    const std::int64_t count = std::min(batch_ - filled, block_->span.rows - block_->draw.used);
    if (const Status copied = copy_rows(count, filled, out); !copied) return copied.error();
    block_->draw.used += count;
    filled += count;
  }
  return out;
}

Status BatchGather::copy_rows(std::int64_t count, std::int64_t filled,
                              const at::Tensor& out) const {
  const auto row_bytes = files_.d_model * static_cast<std::int64_t>(c10::elementSize(files_.type));
  const Span own{std::max(own_.begin, filled), std::min(own_.end, filled + count)};
  if (own.size() <= 0) return Done{};
  const std::int64_t* rows =
      block_->draw.rows.const_data_ptr<std::int64_t>() + block_->draw.used + (own.begin - filled);
  const auto* from = static_cast<const std::byte*>(block_->values.const_data_ptr());
  auto* to = static_cast<std::byte*>(out.mutable_data_ptr()) + (own.begin - own_.begin) * row_bytes;
  for (std::int64_t place = 0; place < 2 * files_.layers; ++place) {
    for (std::int64_t i = 0; i < own.size(); ++i) {
      if (!copy_finite(files_.type, from + rows[i] * row_bytes, files_.d_model, to + i * row_bytes))
        return not_finite(place, rows[i]);
    }
    from += block_->span.rows * row_bytes;
    to += own_.size() * row_bytes;
  }
  return Done{};
}

Error BatchGather::not_finite(std::int64_t place, std::int64_t row) const {
  return bad_input(fmt::format(
      "{}: {}: row {} holds NaN or an infinity", files_.chunks[block_->span.chunk].path,
      dataset_name(place % files_.layers, place / files_.layers), block_->span.first + row));
}

}  // namespace stepscope::trainers
