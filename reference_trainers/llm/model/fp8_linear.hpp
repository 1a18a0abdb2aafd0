// SPDX-License-Identifier: Apache-2.0
// Products with a matrix in 8 bits, with autograd. Forward, backward and the weight's gradient are
// each a product of codes; for the backward pass a layer keeps its input's codes alone, a byte a
// number. Results have x's type. A GPU sums the forward product in its fast way; gradients, whose
// sums are long, in full unless the settings say otherwise.
#pragma once

#include <ATen/core/Tensor.h>

#include "reference_trainers/llm/model/fp8_layers.hpp"

namespace stepscope::llm {

// x [..., inputs], weight [outputs, inputs] of the site.
at::Tensor fp8_linear(const at::Tensor& x, const at::Tensor& weight, const Fp8SitePtr& site);

// down(silu(gate) * up) of gate_up(x). Where scales are known, SwiGLU and its gradient are made as
// codes alone.
at::Tensor fp8_feed_forward(const at::Tensor& x, const at::Tensor& gate_up, const at::Tensor& down,
                            const Fp8Sites& sites);

// share * mean cross entropy of the logits x weight^T, whose gradient is made at once, as codes
// alone: backward() must begin at this loss.
at::Tensor fp8_head_loss(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& targets,
                         double share, const Fp8SitePtr& site);

}  // namespace stepscope::llm
