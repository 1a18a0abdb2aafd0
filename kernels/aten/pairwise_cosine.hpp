// SPDX-License-Identifier: Apache-2.0
// Calls kernels/pairwise_cosine on tensors; on the CPU its reference, whose doubles are rounded.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <tuple>

namespace stepscope::aten {

// Returns, for vectors [sets, count, width], scores float32 [sets], the mean cosine distance of all
// pairs, and distances float32 [sets, count], of each vector to the others. `lengths`, int32
// [sets], says how many vectors of each set are used, 0 to count, which is not checked on a GPU.
// Both results have gradients.
std::tuple<at::Tensor, at::Tensor> pairwise_cosine(
    const at::Tensor& vectors, const std::optional<at::Tensor>& lengths = std::nullopt);

}  // namespace stepscope::aten
