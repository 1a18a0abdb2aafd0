// SPDX-License-Identifier: Apache-2.0
// The operations of a block as a user of LibTorch writes them, each in several ATen calls. B
// sequences of T tokens, H heads, G key heads, D the head size.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace stepscope::llm {

// x / sqrt(mean(x^2) + 1e-6) * weight over the last dimension, in float32; of x's type.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight);

// Angles of RoPE (Su et al. 2021), base 10,000: cos and sin, [T, D / 2], or of each token of a
// batch [B, 1, T, D / 2].
struct RotaryTables {
  at::Tensor cos, sin;
  bool by_token() const { return cos.dim() == 4; }
};
// Returns the angles of tokens at these positions, [B, T].
RotaryTables tables_at(const RotaryTables& tables, const at::Tensor& positions);

// [B, 1, T, T]: true where a query may see a key: of its document, and not behind it. A document
// begins where a position is 0.
at::Tensor visible_in_documents(const at::Tensor& positions);
RotaryTables make_rotary_tables(std::int64_t sequence, std::int64_t head_size, at::Device device);

// [B, H, T, D]: the first half of each head against the second.
at::Tensor rotate(const at::Tensor& x, const RotaryTables& tables);

// query [B, H, T, D], key and value [B, G, T, D]; -> [B, H, T, D]. `hidden` is [T, T] or
// [B, 1, T, T], true where a query must not see a key. Scores and weights are whole in memory: two
// tensors [B, H, T, T] and what autograd keeps of them.
at::Tensor explicit_attention(const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& value, const at::Tensor& hidden);
// The same in one call, causal by a flag in place of a mask; or with `visible`, where that is
// defined.
at::Tensor fused_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                           const at::Tensor& visible = {});

// Mean over all tokens; logits [B, T, vocabulary] in float32 whatever they come in.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets);

}  // namespace stepscope::llm
