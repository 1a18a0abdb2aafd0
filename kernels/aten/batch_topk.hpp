// SPDX-License-Identifier: Apache-2.0
// kernels/batch_topk on tensors. On the CPU: its reference, the same entries.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/batch_topk/batch_topk.hpp"

namespace stepscope::aten {

struct BatchTopkWanted {
  std::int64_t count = 0;   // for the whole matrix: k * rows
  at::Tensor device_count;  // int64 [1], optional: instead of it
  kernels::KeySource keys = kernels::KeySource::raw;
  kernels::NanPolicy nan = kernels::NanPolicy::select;  // as at::topk
  bool positives_only = false;
};

// Buffers that calls of one shape, type and device share, each call ordered behind the one before.
// Undefined tensors are made by the first. A warm start changes the speed alone.
struct BatchTopkMemory {
  bool warm = true;        // keep a warm start
  at::Tensor mean, scale;  // float [columns]: read for affine keys, written for z-scores
  at::Tensor workspace, result, warm_start;
};

// Returns arguments without a mask, pointing into both.
kernels::BatchTopkArguments batch_topk_arguments(const at::Tensor& acts,
                                                 const BatchTopkWanted& wanted,
                                                 BatchTopkMemory& memory);

// A bit an entry of acts, [rows, columns] in float32, float16 or bfloat16: int32 [rows, words]
// (kernels/common/bitmask.hpp).
at::Tensor batch_topk_mask(const at::Tensor& acts, const BatchTopkWanted& wanted,
                           BatchTopkMemory& memory);

// Returns the last call's least selected key: float [].
at::Tensor batch_topk_threshold(const BatchTopkMemory& memory);

// Computes the columns' statistics into the memory, with the same values that a call with z-scores
// finds.
void column_statistics(const at::Tensor& acts, BatchTopkMemory& memory);

// acts where they are among the k * rows greatest, else 0. The gradient goes where they are: the
// mask counts as constant.
at::Tensor batch_topk(const at::Tensor& acts, std::int64_t k, bool z_score, bool positives_only);

}  // namespace stepscope::aten
