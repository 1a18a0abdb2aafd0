// SPDX-License-Identifier: Apache-2.0
// How good a transcoder is, on one batch, in normalised space.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace stepscope::clt {

struct Metrics {
  double nmse = 0;  // mean over layers of MSE / mean variance a coordinate; 0 is perfect
  double explained_variance =
      0;                   // mean over layers of 1 - var(error) / var(target), clamped to [0, 1]
  double l0 = 0;           // nonzero activations a token, summed over layers; counts negative ones
  double log_density = 0;  // mean over features of log10(share of tokens with activation > 1e-6)
  std::int64_t dead = 0;   // features silent for the whole window
};

// As in the reference, per-feature values are brought to the host as lists and every number is read
// back by itself: that cost is part of the baseline.
//
// A layer each: activations [batch, features], predictions and targets [batch, d_model]; dead:
// [layers, features].
Metrics evaluate_on_host(const std::vector<at::Tensor>& activations,
                         const std::vector<at::Tensor>& predictions,
                         const std::vector<at::Tensor>& targets, const at::Tensor& dead);

// The same up to rounding, with one copy to the host at the end.
Metrics evaluate_on_device(const std::vector<at::Tensor>& activations,
                           const std::vector<at::Tensor>& predictions,
                           const std::vector<at::Tensor>& targets, const at::Tensor& dead);

}  // namespace stepscope::clt
