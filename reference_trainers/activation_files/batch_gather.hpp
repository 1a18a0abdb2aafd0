// SPDX-License-Identifier: Apache-2.0
// Cuts blocks into batches: rows in the order that each block's draw gives, checked to be finite.
// Gives the rows `own` of each batch; it neither copies nor checks the others.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "core/support/result.hpp"
#include "reference_trainers/activation_files/activation_files.hpp"
#include "reference_trainers/activation_files/block_reader.hpp"
#include "reference_trainers/activation_files/recycled_memory.hpp"
#include "reference_trainers/common/span.hpp"

namespace stepscope::trainers {

class BatchGather {
 public:
  using NextBlock = std::function<Result<Block>()>;

  // pinned: batches lie in memory that a GPU copies from by itself.
  BatchGather(ActivationFiles files, NextBlock next_block, std::int64_t batch, Span own,
              bool pinned);

  // [2, layers, own rows, d_model], inputs then targets, of the files' type, on the host.
  Result<at::Tensor> next();

 private:
  Status copy_rows(std::int64_t count, std::int64_t filled, const at::Tensor& out) const;
  Error not_finite(std::int64_t place, std::int64_t row) const;

  const ActivationFiles files_;
  const NextBlock next_block_;
  const std::int64_t batch_;
  const Span own_;
  RecycledMemory memory_;
  std::optional<Block> block_;
};

}  // namespace stepscope::trainers
