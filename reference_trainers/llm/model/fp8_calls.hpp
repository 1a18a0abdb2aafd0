// SPDX-License-Identifier: Apache-2.0
// Calls of kernels/fp8 on the device that holds a tensor: the kernels on a GPU, their references on
// the CPU. Both give the same codes.
#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/fp8/fp8.hpp"

namespace stepscope::llm {

// Throws where a call is refused.
void fp8_call(const kernels::Fp8Quantise& call, const at::Tensor& on);
void fp8_call(const kernels::Fp8Swiglu& call, const at::Tensor& on);
void fp8_call(const kernels::Fp8SwigluGradient& call, const at::Tensor& on);
void fp8_call(const kernels::Fp8CrossEntropyGradient& call, const at::Tensor& on);
void fp8_call(const kernels::Fp8Amax& call, const at::Tensor& on);
void fp8_call(const kernels::Fp8ScaleUpdate& call, const at::Tensor& on);

}  // namespace stepscope::llm
