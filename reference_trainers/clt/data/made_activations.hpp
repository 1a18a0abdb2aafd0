// SPDX-License-Identifier: Apache-2.0
// Activations with a known origin, made in place of a recorded model's.
//
// Layer s owns `true_features` sparse features. A token has feature f with probability `rate` and
// then a strength uniform in [0.5, 1.5]; else strength 0. With unit directions drawn once:
//   inputs[l]  = sum over features f of layer l of strength(f) * read(f)                 + noise
//   targets[l] = sum over layers s <= l, features f of s of strength(f) * write(f, l)    + noise
// so a cross-layer transcoder can explain the targets up to the noise, and one that looks at a
// single layer cannot. All tensors are float on the host, drawn from the seed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/clt/config.hpp"

namespace stepscope::clt {

struct MadeActivations {
  std::vector<at::Tensor> inputs, targets;  // a layer each: [rows, d_model]
  std::vector<at::Tensor> strengths;        // a layer each: [rows, true_features]
  std::vector<at::Tensor> reads;            // a layer each: [true_features, d_model]
  std::vector<std::vector<at::Tensor>>
      writes;        // [target][source <= target]: [true_features, d_model]
  double noise = 0;  // standard deviation of the noise, each coordinate
};

MadeActivations make_activations(const Config& config);

// Other rows of the same origin, for measuring on what was never trained on.
MadeActivations make_held_out(const Config& config, std::int64_t rows);

}  // namespace stepscope::clt
