// SPDX-License-Identifier: Apache-2.0
// Calls kernels/token_pass on tensors of a GPU, which are bfloat16, contiguous and without
// gradients.
#pragma once

#include <ATen/core/Tensor.h>

namespace stepscope::aten {

// Says whether a decoder of that width and vocabulary, with feed-forward parts of four times the width,
// is taken.
bool token_pass_fits(std::int64_t rows, std::int64_t width, std::int64_t heads,
                     std::int64_t vocabulary);

struct TokenLinearWish {
  at::Tensor norm;      // [inputs]: x is normalised and multiplied by it; optional
  at::Tensor residual;  // [rows, outputs]: is added; optional
  bool gelu = false;
};

// Multiplies x [rows, inputs] with weights [outputs, inputs].
at::Tensor token_linear(const at::Tensor& x, const at::Tensor& weights,
                        const TokenLinearWish& wish = {});

// Puts keys and values of query_key_value [rows, 3 * width] into the cache, [rows, heads,
// positions, width of a head], at the position that `place`, int64 [1], holds, and returns what the
// rows get from attending to all positions up to it, [rows, width].
at::Tensor token_attention(const at::Tensor& query_key_value, const at::Tensor& keys,
                           const at::Tensor& values, const at::Tensor& place);

}  // namespace stepscope::aten
