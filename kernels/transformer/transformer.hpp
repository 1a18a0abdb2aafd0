// SPDX-License-Identifier: Apache-2.0
// The pointwise parts of a decoder (README.md). Every tensor of a call has the call's type, float32
// or bfloat16, unless it is said to be float; sums are in float. Pointers are to device memory,
// contiguous and aligned to 16 bytes unless strides are given.
//
// A call enqueues kernels and returns: it neither waits nor allocates, so it can be captured in a
// CUDA graph. Sums over rows are left as partial sums in float, one a block, in a fixed order: the
// same bits in every run.
#pragma once

#include <cstdint>

#include "kernels/common/key_types.hpp"
#include "kernels/common/status.hpp"

struct CUstream_st;

namespace stepscope::kernels {

// Blocks whose partial sums of a weight's gradient a call writes: rows of `weight_partials`.
inline constexpr int kTransformerPartials = 264;
inline constexpr int kHeadPartials = 528;  // rows of qk_norm_rope_gradient's partials

// sum = residual + branch (without a branch: residual, and sum is not written);
// out = sum * scale * weight, scale = 1 / sqrt(mean of squares + epsilon) of each row.
struct RmsNorm {
  KeyType type = KeyType::bfloat16;
  std::int64_t rows = 0, width = 0;  // width at most 4096 in fours of 16 bytes, else 1024
  const void* residual = nullptr;    // [rows, width]
  const void* branch = nullptr;      // [rows, width] or null
  const void* weight = nullptr;      // [width]
  void* sum = nullptr;               // [rows, width]
  void* out = nullptr;               // [rows, width]
  float* scales = nullptr;           // [rows]
  float epsilon = 1e-6F;
};
Status rms_norm(const RmsNorm& arguments, CUstream_st* stream);

// Computes the gradient that residual and branch share: what comes through `out` and, where it is
// given, through `sum`.
struct RmsNormGradient {
  KeyType type = KeyType::bfloat16;
  std::int64_t rows = 0, width = 0;
  const void* sum = nullptr;     // [rows, width]: what was normalised
  const void* weight = nullptr;  // [width]
  const float* scales = nullptr;
  const void* out_gradient = nullptr;  // [rows, width]
  const void* sum_gradient = nullptr;  // [rows, width] or null
  void* gradient = nullptr;            // [rows, width]
  float* weight_partials = nullptr;    // [kTransformerPartials, width]
};
Status rms_norm_gradient(const RmsNormGradient& arguments, CUstream_st* stream);

// Heads of `head_size` numbers: even, at most 256.
struct HeadShape {
  std::int64_t batch = 0, sequence = 0;
  std::int64_t heads = 0, kv_heads = 0, head_size = 0;
};

// packed [batch, sequence, (heads + 2 kv_heads) * head_size]; query [batch, sequence, heads,
// head_size], key and value [batch, sequence, kv_heads, head_size].
struct QkNormRope {
  KeyType type = KeyType::bfloat16;
  HeadShape shape;
  const void* packed = nullptr;
  const void* query_weight = nullptr;  // [head_size]
  const void* key_weight = nullptr;
  const float* cosine = nullptr;  // [sequence, head_size / 2], or of each token of the batch
  const float* sine = nullptr;
  void* query = nullptr;
  void* key = nullptr;
  void* value = nullptr;  // as key: the packed values, copied; null: they are not
  bool tables_by_token = false;
  float epsilon = 1e-6F;
};
Status qk_norm_rope(const QkNormRope& arguments, CUstream_st* stream);

// A gradient of [batch, sequence, heads, head_size] in any order of memory; a head is contiguous.
struct HeadGradient {
  const void* data = nullptr;
  std::int64_t batch_stride = 0, token_stride = 0, head_stride = 0;
};
struct QkNormRopeGradient {
  QkNormRope forward;  // query and key are not used
  HeadGradient query, key, value;
  void* packed_gradient = nullptr;   // as packed
  float* weight_partials = nullptr;  // [kHeadPartials, 2, head_size]: query's, key's
};
Status qk_norm_rope_gradient(const QkNormRopeGradient& arguments, CUstream_st* stream);

// packed [rows, 2 * width]: gate, then up; out [rows, width].
struct Swiglu {
  KeyType type = KeyType::bfloat16;
  std::int64_t rows = 0, width = 0;
  const void* packed = nullptr;
  void* out = nullptr;
};
Status swiglu(const Swiglu& arguments, CUstream_st* stream);

struct SwigluGradient {
  KeyType type = KeyType::bfloat16;
  std::int64_t rows = 0, width = 0;
  const void* packed = nullptr;
  const void* out_gradient = nullptr;  // [rows, width]
  void* packed_gradient = nullptr;     // [rows, 2 * width]
};
Status swiglu_gradient(const SwigluGradient& arguments, CUstream_st* stream);

// losses[row] = log(sum of exp(logits)) - logits[target]; where `gradient_scale` is not 0, each
// logit becomes gradient_scale * (softmax - one at the target).
struct CrossEntropy {
  KeyType type = KeyType::bfloat16;
  std::int64_t rows = 0, width = 0;
  void* logits = nullptr;                 // [rows, width]
  const std::int64_t* targets = nullptr;  // [rows], each of 0 .. width - 1
  float* losses = nullptr;                // [rows]
  float gradient_scale = 0;
};
Status cross_entropy(const CrossEntropy& arguments, CUstream_st* stream);

}  // namespace stepscope::kernels
