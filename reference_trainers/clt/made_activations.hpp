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

#include <vector>

#include "reference_trainers/clt/config.hpp"

namespace stepscope::clt {

struct MadeActivations {
  std::vector<at::Tensor> inputs, targets;  // a layer each: [rows, d_model]
  std::vector<at::Tensor> strengths;        // a layer each: [rows, true_features]
  std::vector<std::vector<at::Tensor>>
      writes;        // [target][source <= target]: [true_features, d_model]
  double noise = 0;  // standard deviation of the noise, each coordinate
};

MadeActivations make_activations(const Config& config);

}  // namespace stepscope::clt
