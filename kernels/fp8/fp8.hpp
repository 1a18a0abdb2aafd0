// SPDX-License-Identifier: Apache-2.0
// Tensors in 8 bits for matrix products (fp8_code.hpp): codes of number * scale, one scale a
// tensor. A product on tensor cores of sm_90 wants both its factors with the summed dimension
// contiguous, so what is used in two products is written twice, as it is and transposed, in one
// pass over memory.
//
// Scales lie on the device and are read there. `amax` is a running greatest magnitude: calls raise
// it, fp8_update_scales makes a scale of it and sets it to 0.
//   current scaling   fp8_amax, fp8_update_scales with length 0, then the codes: two passes
//   delayed scaling   the codes with a scale of earlier steps' amax: one pass
//
// Numbers are float32 or bfloat16. Rows and columns are multiples of 16; pointers to numbers are
// aligned to 16 bytes, to codes to 8. A call enqueues and returns: it neither waits nor allocates,
// so it can be recorded in a CUDA graph.
#pragma once

#include <cstdint>

#include "kernels/common/key_types.hpp"
#include "kernels/common/status.hpp"
#include "kernels/fp8/fp8_code.hpp"

struct CUstream_st;

namespace stepscope::kernels {

// Where codes go, and by which scale.
struct Fp8Codes {
  Fp8Format format = Fp8Format::e4m3;
  const float* scale = nullptr;        // one number
  std::uint8_t* codes = nullptr;       // [rows, columns]
  std::uint8_t* transposed = nullptr;  // [columns, rows], or null
  float* amax = nullptr;               // one number, or null
};

// Codes of a matrix.
struct Fp8Quantise {
  KeyType type = KeyType::bfloat16;
  std::int64_t rows = 0, columns = 0;
  const void* from = nullptr;  // [rows, columns]
  Fp8Codes to;
};
Status fp8_quantise(const Fp8Quantise& arguments, CUstream_st* stream);

// Codes of silu(gate) * up, which is not written in any other way: `to` is [rows, width].
struct Fp8Swiglu {
  KeyType type = KeyType::bfloat16;
  std::int64_t rows = 0, width = 0;
  const void* packed = nullptr;  // [rows, 2 * width]: gate, then up
  Fp8Codes to;
};
Status fp8_swiglu(const Fp8Swiglu& arguments, CUstream_st* stream);

// Codes of the gradient of `packed`: `to` is [rows, 2 * width].
struct Fp8SwigluGradient {
  KeyType type = KeyType::bfloat16;
  std::int64_t rows = 0, width = 0;
  const void* packed = nullptr;
  const void* out_gradient = nullptr;  // [rows, width]
  Fp8Codes to;
};
Status fp8_swiglu_gradient(const Fp8SwigluGradient& arguments, CUstream_st* stream);

// Codes of softmax(logits) - one at the target, numbers from -1 to 1. `losses` are those of
// transformer.hpp's cross_entropy over the same logits: each gives its row's softmax.
struct Fp8CrossEntropyGradient {
  KeyType type = KeyType::bfloat16;
  std::int64_t rows = 0, width = 0;
  const void* logits = nullptr;           // [rows, width]
  const std::int64_t* targets = nullptr;  // [rows], each of 0 .. width - 1
  const float* losses = nullptr;          // [rows]
  Fp8Codes to;
};
Status fp8_cross_entropy_gradient(const Fp8CrossEntropyGradient& arguments, CUstream_st* stream);

// Raises amax[0] to the greatest magnitude of `count` numbers, a multiple of 8.
struct Fp8Amax {
  KeyType type = KeyType::bfloat16;
  std::int64_t count = 0;
  const void* from = nullptr;
  float* amax = nullptr;
};
Status fp8_amax(const Fp8Amax& arguments, CUstream_st* stream);

// Updates each tensor's scale: amax joins the history of the last `length` steps and becomes 0; the
// scale is that of the history's greatest (length 0: of amax). An amax that is not finite joins
// nothing.
struct Fp8ScaleUpdate {
  std::int64_t tensors = 0, length = 0;
  const float* greatest = nullptr;  // [tensors]: the format's greatest number
  float* amax = nullptr;            // [tensors]
  float* history = nullptr;         // [length, tensors], the newest first
  float* scale = nullptr;           // [tensors]
  float* inverse = nullptr;         // [tensors, inverse_stride], the first of each: 1 / scale
  std::int64_t inverse_stride = 1;
};
Status fp8_update_scales(const Fp8ScaleUpdate& arguments, CUstream_st* stream);

// The same on the host, with pointers to its memory; what is not a copy of numbers in double.
Status fp8_quantise_reference(const Fp8Quantise& arguments);
Status fp8_swiglu_reference(const Fp8Swiglu& arguments);
Status fp8_swiglu_gradient_reference(const Fp8SwigluGradient& arguments);
Status fp8_cross_entropy_gradient_reference(const Fp8CrossEntropyGradient& arguments);
Status fp8_amax_reference(const Fp8Amax& arguments);
Status fp8_update_scales_reference(const Fp8ScaleUpdate& arguments);

// Checks what both calls check.
Status validate(const Fp8Quantise& arguments);
Status validate(const Fp8Swiglu& arguments);
Status validate(const Fp8SwigluGradient& arguments);
Status validate(const Fp8CrossEntropyGradient& arguments);
Status validate(const Fp8Amax& arguments);
Status validate(const Fp8ScaleUpdate& arguments);

}  // namespace stepscope::kernels
