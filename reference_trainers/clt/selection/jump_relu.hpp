// SPDX-License-Identifier: Apache-2.0
// From BatchTopK, whose cut depends on who else is in the batch, to JumpReLU, where each feature
// has a threshold of its own: x is kept where x > threshold, else it is 0.
//
//   threshold = mean + scale * least * (std + 1e-6)
// least, a feature: its least selected key (z-score, as BatchTopK ranks), averaged over the
//   calibration batches in which it was selected at all;
// mean and std, a feature: of its preactivations in a batch, averaged over all of these batches;
// scale, a layer: by bisection, so that the layer keeps as many entries of the calibration batches
//   as BatchTopK selected there.
// A feature that was never selected gets the threshold kNeverSelected, as in the reference, and so
// never fires. Like BatchTopK this has no ReLU: thresholds and kept values may be negative.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/clt/config.hpp"

namespace stepscope::clt {

constexpr double kNeverSelected = 1e6;
// How far the count of kept entries may be from that of selected ones, as a share, in each layer;
// farther only where equal preactivations leave no threshold in between.
constexpr double kL0Tolerance = 1e-4;

struct JumpRelu {
  at::Tensor thresholds;  // float [layers, features], of preactivations
  at::Tensor scales;      // double [layers], on the host
  std::int64_t never_selected = 0;

  at::Tensor apply(const at::Tensor& preactivations) const;  // [tokens, layers * features]
};

// Preactivations of that calibration batch, [tokens, layers * features]: asked for again and again.
using CalibrationBatch = std::function<at::Tensor(std::int64_t index)>;

// An Error where the selection is so wide that a feature's least key is not above its mean.
Result<JumpRelu> to_jump_relu(const Config& config, std::int64_t batches,
                              const CalibrationBatch& preactivations);

}  // namespace stepscope::clt
