// SPDX-License-Identifier: Apache-2.0
// Makes a transformer's pass over one token a row, for a few rows: what is slow is to read the
// weights once. README.md says how that is kept going from one kernel to the next.
//
// All tensors are bfloat16 in device memory, contiguous and aligned to 16 bytes; sums are in float.
// A call enqueues one kernel, which may begin before the kernel ahead of it in the stream has
// ended: until then it reads weights alone, so those must not be written by that kernel. It neither
// waits nor allocates, and can be captured in a CUDA graph. The same input gives the same bits.
#pragma once

#include <cstdint>

#include "kernels/common/status.hpp"

struct CUstream_st;

namespace stepscope::kernels {

inline constexpr std::int64_t kTokenMostRows = 16;
inline constexpr std::int64_t kTokenMostInputs = 4096;  // multiples of 256
inline constexpr std::int64_t kTokenMostNormInputs = 2048;
inline constexpr std::int64_t kTokenMostPositions = 4096;

// out = weights x, or with `norm` weights (norm * (x - mean) / deviation); then the residual is
// added, or GELU (by the error function) is taken.
struct TokenLinear {
  std::int64_t rows = 0, inputs = 0, outputs = 0;  // outputs: a multiple of 8
  const void* x = nullptr;                         // [rows, inputs]
  const void* norm = nullptr;                      // [inputs]; optional
  const void* weights = nullptr;                   // [outputs, inputs]
  const void* residual = nullptr;                  // [rows, outputs]; optional; may be `out`
  bool gelu = false;                               // without a residual
  void* out = nullptr;                             // [rows, outputs]
  float epsilon = 1e-5F;
};

// Puts the rows' keys and values into the cache at `place`, and attends to positions 0 to `place`.
struct TokenAttention {
  std::int64_t rows = 0, heads = 0, width = 0, positions = 0;  // width: 8 to 128, multiples of 8
  const void* query_key_value = nullptr;                       // [rows, 3, heads, width]
  void* keys = nullptr;                                        // [rows, heads, positions, width]
  void* values = nullptr;
  const std::int64_t* place = nullptr;  // [1], in device memory, below `positions`
  void* out = nullptr;                  // [rows, heads, width]
};

Status validate(const TokenLinear& arguments);
Status validate(const TokenAttention& arguments);

Status token_linear(const TokenLinear& arguments, CUstream_st* stream);
Status token_attention(const TokenAttention& arguments, CUstream_st* stream);

}  // namespace stepscope::kernels
