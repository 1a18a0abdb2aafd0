// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/sparse_ops.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

namespace stepscope::clt {

AdamState::AdamState(at::Tensor initial)
    : parameters(std::move(initial)),
      first_moments(at::zeros_like(parameters)),
      second_moments(at::zeros_like(parameters)) {}

at::Tensor weights_of_source(const SparseShape& shape, const at::Tensor& flat,
                             std::int64_t source) {
  const std::int64_t width = (shape.layers - source) * shape.model;
  const std::int64_t begin = shape.vector(source, 0, source) * shape.model;
  return flat.slice(0, begin, begin + shape.features * width).view({shape.features, width});
}

// The size is told, so that nothing is read back from the device.
at::Tensor places_of(const FeatureList& by_token, std::int64_t columns) {
  const std::int64_t tokens = by_token.offsets.size(0) - 1;
  const at::Tensor begins = at::arange(tokens, by_token.offsets.options()) * columns;
  const at::Tensor lengths = by_token.offsets.slice(0, 1) - by_token.offsets.slice(0, 0, tokens);
  return at::repeat_interleave(begins, lengths, 0, by_token.indices.size(0)) + by_token.indices;
}

const char* problem_for_kernels(const SparseShape& shape) {
  if (shape.model % 8 != 0) return "--d-model must be a multiple of 8 for the CUDA kernels";
  return "";
}

#ifndef STEPSCOPE_CLT_WITH_KERNELS
std::unique_ptr<SparseOps> make_kernel_ops(const SparseShape& /*shape*/,
                                           std::unique_ptr<KernelSelection> /*selection*/) {
  return nullptr;
}
#endif

}  // namespace stepscope::clt
