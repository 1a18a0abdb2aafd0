// SPDX-License-Identifier: Apache-2.0
// Matrices in 8 bits: codes of number * scale, and what multiplies them back.
//
// A tensor's scale is known in one of two ways. Current: its own greatest magnitude is measured
// first. Delayed: it follows from the greatest magnitude of the last steps, and the pass that makes
// the codes measures the next one; a larger number than any of them becomes the greatest code.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/fp8/fp8_format.hpp"

namespace stepscope::llm {

// Codes [R, C] and their transpose [C, R], of LibTorch's type for the format; a float32 scalar.
struct Fp8Matrix {
  at::Tensor codes, transposed, inverse;
};

// Memory for the codes of a matrix of these sizes.
Fp8Matrix empty_fp8(std::int64_t rows, std::int64_t columns, kernels::Fp8Format format,
                    const at::Tensor& beside);

// a b^T in `type`: a [M, K], b [N, K] are codes, M, N and K multiples of 16. `fast` sums in fewer
// digits, where a GPU's tensor cores do. On the CPU the product of the numbers that codes stand
// for, in float32.
at::Tensor fp8_product(const at::Tensor& a, const at::Tensor& a_inverse, const at::Tensor& b,
                       const at::Tensor& b_inverse, at::ScalarType type, bool fast);

// One tensor of a step, which every micro-batch has anew.
struct Fp8Slot {
  kernels::Fp8Format format = kernels::Fp8Format::e4m3;
  at::Tensor greatest, scale, inverse, amax;  // views of Fp8Scales
};

// Scales of many tensors, on the device, that follow the greatest magnitudes of the last `length`
// steps, or with length 0 of the last.
class Fp8Scales {
 public:
  Fp8Scales(std::vector<kernels::Fp8Format> formats, std::int64_t length, at::Device device);

  void update() const;  // for all of them, of what calls have raised amax to

  std::int64_t size() const { return amax_.numel(); }
  Fp8Slot slot(std::size_t i) const;
  const at::Tensor& amaxes() const { return amax_; }
  const at::Tensor& history() const { return history_; }

 private:
  const std::vector<kernels::Fp8Format> formats_;
  at::Tensor greatest_, amax_, history_, scale_, inverse_;
};

// Into memory that there is, by the slot's scale, and nothing is measured.
void quantise_into(const Fp8Matrix& to, const Fp8Slot& slot, const at::Tensor& rows);
// Codes of rows [R, C] by the slot's scale, which they help to find for the next steps.
Fp8Matrix quantised_by(const Fp8Slot& slot, const at::Tensor& rows);
// Codes of rows by the scale of their own greatest magnitude, which the slot takes note of.
Fp8Matrix quantised_by_itself(const Fp8Slot& slot, const at::Tensor& rows);
// Codes of silu(gate) * up of packed [R, 2 W], and of packed's gradient, which are numbers nowhere.
Fp8Matrix quantised_swiglu(const Fp8Slot& slot, const at::Tensor& packed);
Fp8Matrix quantised_swiglu_gradient(const Fp8Slot& slot, const at::Tensor& packed,
                                    const at::Tensor& through);

// Codes of the gradient of the mean loss of all tokens times `share`, for logits [tokens, V] whose
// losses are known.
Fp8Matrix quantised_loss_gradient(const Fp8Slot& slot, const at::Tensor& logits,
                                  const at::Tensor& targets, const at::Tensor& losses,
                                  double share);

}  // namespace stepscope::llm
