// SPDX-License-Identifier: Apache-2.0
// kernels/row_topk on tensors. On the CPU: its reference, the same entries. Weak where at::topk is
// not: k is at most 512.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <tuple>

namespace stepscope::aten {

// Values and columns (int64) of the k greatest of each row: [rows, k], columns rising, NaN
// greatest. The gradient of a value goes to its column.
std::tuple<at::Tensor, at::Tensor> row_topk(const at::Tensor& acts, std::int64_t k);

}  // namespace stepscope::aten
