// SPDX-License-Identifier: Apache-2.0
// A small cross-layer decoder, and its dense formulation in ATen, which autograd differentiates:
// one product a source with all its targets.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include "kernels/sparse_decoder/decoder_shape.hpp"

namespace stepscope::aten {

constexpr kernels::SparseDecoderShape kDecoder{
    .layers = 3, .features = 20, .model = 16, .tokens = 11};

inline at::Tensor dense_decoder(const at::Tensor& acts, const at::Tensor& weights,
                                const at::Tensor& bias) {
  at::Tensor outputs = bias.view({1, -1}).expand({kDecoder.tokens, -1});
  std::int64_t begin = 0;
  for (std::int64_t source = 0; source < kDecoder.layers; ++source) {
    const std::int64_t width = (kDecoder.layers - source) * kDecoder.model;
    const std::int64_t end = begin + kDecoder.features * width;
    const at::Tensor product =
        acts.slice(1, source * kDecoder.features, (source + 1) * kDecoder.features)
            .mm(weights.slice(0, begin, end).view({kDecoder.features, width}));
    const at::Tensor before =
        at::zeros({kDecoder.tokens, source * kDecoder.model}, product.options());
    outputs = outputs + at::cat({before, product}, 1);
    begin = end;
  }
  return outputs.view({kDecoder.tokens, kDecoder.layers, kDecoder.model});
}

}  // namespace stepscope::aten
