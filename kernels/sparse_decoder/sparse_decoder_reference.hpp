// SPDX-License-Identifier: Apache-2.0
// The decoder on the host in double precision, entry by entry of the list by tokens. Weights lie as
// on the device, outputs and their gradients are [tokens, layers, model]. Given absolute values,
// each function returns the sum of magnitudes that bounds the rounding of fp32 sums.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sparse_decoder/decoder_shape.hpp"

namespace stepscope::kernels {

// A line a token.
struct HostActiveFeatures {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

// bias: [layers, model], or empty.
std::vector<double> forward_reference(const SparseDecoderShape& shape,
                                      const HostActiveFeatures& active,
                                      const std::vector<double>& weights,
                                      const std::vector<double>& bias);

// One a listed value.
std::vector<double> activation_gradient_reference(const SparseDecoderShape& shape,
                                                  const HostActiveFeatures& active,
                                                  const std::vector<double>& weights,
                                                  const std::vector<double>& output_gradients);

std::vector<double> weight_gradient_reference(const SparseDecoderShape& shape,
                                              const HostActiveFeatures& active,
                                              const std::vector<double>& output_gradients);

std::vector<double> bias_gradient_reference(const SparseDecoderShape& shape,
                                            const std::vector<double>& output_gradients);

}  // namespace stepscope::kernels
