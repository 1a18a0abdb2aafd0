// SPDX-License-Identifier: Apache-2.0
// A trained model's JumpReLU (jump_relu.hpp): found on the batches that training would take next,
// measured beside the selection it was trained with on rows that were not trained on, and written
// to a file. With recorded activations (--data) these rows are the batches behind those; where that
// leaves the first epoch, they were trained on, and the output says so.
//
// The file is a dictionary as a checkpoint is: schema, step, seed, k, calibration_batches,
// thresholds (float [layers, features], of preactivations of normalised inputs) and scales (double
// [layers]).
#pragma once

#include <cstdint>
#include <string>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/selection/jump_relu.hpp"
#include "reference_trainers/clt/training/trainer.hpp"

namespace stepscope::clt {

// Means over the held-out batches.
struct Quality {
  double l0 = 0, nmse = 0, explained_variance = 0;
};

struct Conversion {
  JumpRelu jump_relu;
  std::int64_t measured_tokens = 0;
  bool trained_on = false;  // some of these tokens
  Quality before, after;    // as it was trained, JumpReLU
};

Result<Conversion> convert(const Config& config, Trainer& trainer);

// A line for people.
std::string summary(const Conversion& conversion);

Status write_thresholds(const std::string& path, const Config& config, const Conversion& conversion,
                        std::int64_t step);

}  // namespace stepscope::clt
