// SPDX-License-Identifier: Apache-2.0
// The loss of a decoder's outputs, sum of factor * (deviation * (output - target))^2, where a
// deviation belongs to a column; its gradient, and that of the decoder's bias, in one pass over
// both. Matrices are [tokens, columns] in float32; sums are taken in one order, the bits are the
// same on every run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/status.hpp"

struct CUstream_st;

namespace stepscope::kernels {

// In device memory, aligned to 16 bytes.
struct SquaredLoss {
  std::int64_t tokens = 0, columns = 0;  // columns a multiple of 4
  const float* outputs = nullptr;
  const float* targets = nullptr;
  const float* deviations = nullptr;  // [columns]
  double factor = 1;
  float* gradients = nullptr;       // gradient of the outputs, [tokens, columns]
  float* bias_gradients = nullptr;  // [columns]: their sums over tokens
  float* loss = nullptr;            // [1]
  void* workspace = nullptr;        // any content
  std::size_t workspace_bytes = 0;
};

std::size_t squared_loss_workspace_bytes(std::int64_t tokens, std::int64_t columns);
Status squared_loss(const SquaredLoss& arguments, CUstream_st* stream);

// Checks the arguments; ok where a call would launch.
Status validate(const SquaredLoss& arguments);

// A block has so many tokens of so many columns.
constexpr std::int64_t kLossTokens = 16;
constexpr std::int64_t kLossColumns = 1024;

}  // namespace stepscope::kernels
