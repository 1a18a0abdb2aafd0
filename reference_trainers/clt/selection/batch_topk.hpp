// SPDX-License-Identifier: Apache-2.0
// BatchTopK exactly as the reference implementation has it.
//
// Keys: each feature column is z-scored over the batch, key = (x - mean) / (std + kScoreEpsilon),
// unbiased std, in the tensor's own type. Selection: the K = min(k * rows, entries) largest keys of
// all layers together, by torch.topk; ties at the cut fall as topk lets them. Output: the raw x
// where selected, else 0. There is no ReLU, so kept values may be negative. Gradient: that of the
// output times the mask; none through keys.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace stepscope::clt {

inline constexpr double kScoreEpsilon = 1e-6;

// [rows, features] -> z-scores a column. With one row every standard deviation is NaN, as in the
// reference.
at::Tensor ranking_keys(const at::Tensor& preactivations);

// Boolean, of the keys' shape, true at exactly K entries.
at::Tensor batch_topk_mask(const at::Tensor& keys, std::int64_t k);

// The same; with more than one hierarchical rank what hierarchical_topk.hpp selects instead.
at::Tensor selection_mask(const at::Tensor& keys, std::int64_t k, std::int64_t hierarchical_ranks);

// The entries of the mask [rows, layers * features], of a layer each: what is not kept is 0.
std::vector<at::Tensor> keep(const std::vector<at::Tensor>& preactivations, const at::Tensor& mask);

// A layer each, [rows, features]; one selection over all of them.
std::vector<at::Tensor> batch_topk(const std::vector<at::Tensor>& preactivations, std::int64_t k,
                                   std::int64_t hierarchical_ranks = 1);

}  // namespace stepscope::clt
