// SPDX-License-Identifier: Apache-2.0
// AdamW whose moments lie in 8 bits each: blocks of 256 numbers have a scale, their greatest
// magnitude, and codes of what is left (dynamic_code.hpp). One pass reads gradient, master and
// codes, computes in float32, and writes master, copy and new codes: 16 bytes a parameter where the
// gradient and the copy are bfloat16, against 28 of float32 moments.
//
//   m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2, g = gradient / divisor
//   p = p (1 - rate decay) - rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
// p takes m and v before they are rounded to codes. A square below 1.6e-7 of its block's greatest
// becomes 0, as in the paper: its parameter's steps are then up to 1 / sqrt(1 - beta2) as long.
//
// The call enqueues a kernel and returns; rate,
// step and divisor are read on the device, so it can be recorded in a CUDA graph.
#pragma once

#include <cstdint>

#include "kernels/adamw_8bit/dynamic_code.hpp"
#include "kernels/common/key_types.hpp"
#include "kernels/common/status.hpp"

struct CUstream_st;

namespace stepscope::kernels {

inline constexpr std::int64_t kQuantisedBlock = 256;

struct Adamw8Bit {
  std::int64_t count = 0;
  float* parameters = nullptr;               // [count], aligned to 16 bytes, as gradients and copy
  const void* gradients = nullptr;           // [count]
  KeyType gradient_type = KeyType::float32;  // or bfloat16
  Bfloat16* copy = nullptr;                  // [count] or null: the parameters rounded
  std::uint8_t* mean_codes = nullptr;        // [count], aligned to 8 bytes
  std::uint8_t* square_codes = nullptr;      // [count]
  float* mean_scales = nullptr;              // [blocks]
  float* square_scales = nullptr;
  const float* tables = nullptr;  // signed_dynamic_code, then unsigned_dynamic_code: [512]
  const float* rate = nullptr;
  const float* step = nullptr;     // t, from 1
  const float* divisor = nullptr;  // divisor of the gradients; null: 1
  float beta1 = 0.9F, beta2 = 0.95F, epsilon = 1e-8F, weight_decay = 0;

  STEPSCOPE_HOST_DEVICE std::int64_t blocks() const {
    return (count + kQuantisedBlock - 1) / kQuantisedBlock;
  }
};

Status adamw_8bit(const Adamw8Bit& arguments, CUstream_st* stream);

// The same on the host, with pointers to its memory.
Status adamw_8bit_reference(const Adamw8Bit& arguments);

// Checks what both calls check.
Status validate(const Adamw8Bit& arguments);

}  // namespace stepscope::kernels
