// SPDX-License-Identifier: Apache-2.0
// Sizes of a cross-layer decoder, and where each of its vectors lies.
//
// Weights are [source][feature][target - source][model]: the vectors of one feature for all its
// targets are one run of (layers - source) * model numbers. So
//   - a feature's gradient, its Adam update and its norm are one contiguous row,
//   - the dense product is one GEMM a source: activations [tokens, features] times a row-major
//     [features, (layers - source) * model] added to columns source * model and up of outputs
//     [tokens, layers * model],
//   - a sweep of one target and some columns reads pieces of at least 128 bytes, as it would in any
//     layout that keeps `model` innermost.
// A trainer holds either one tensor of weights() numbers or one [features, layers - source, model]
// a source, which are slices of the former.
//
// Columns of a list of active features are source * features + feature, as in a bitmask of all
// layers side by side. The decoders of target t are those of columns below (t + 1) * features.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

struct SparseDecoderShape {
  std::int64_t layers = 0, features = 0;  // features a layer
  std::int64_t model = 0;                 // length of a vector, a multiple of 8
  std::int64_t tokens = 0;

  STEPSCOPE_HOST_DEVICE constexpr std::int64_t columns() const { return layers * features; }
  // Pairs of a source and a target.
  STEPSCOPE_HOST_DEVICE constexpr std::int64_t pairs() const { return layers * (layers + 1) / 2; }
  STEPSCOPE_HOST_DEVICE constexpr std::int64_t weights() const {
    return pairs() * features * model;
  }
  // The number of the vector; its first weight is `model` times that.
  STEPSCOPE_HOST_DEVICE constexpr std::int64_t vector(std::int64_t source, std::int64_t feature,
                                                      std::int64_t target) const {
    const std::int64_t targets_before = source * layers - source * (source - 1) / 2;
    return features * targets_before + feature * (layers - source) + target - source;
  }
};

}  // namespace stepscope::kernels
