// SPDX-License-Identifier: Apache-2.0
// A configuration that trains in milliseconds.
#pragma once

#include <vector>

#include "reference_trainers/token_pipeline/config.hpp"

namespace stepscope::token_pipeline {

inline Config small_pipeline(std::int64_t steps = 6) {
  Config config;
  config.shape = {.layers = 1,
                  .d_model = 16,
                  .heads = 2,
                  .hidden = 24,
                  .vocabulary = 32,
                  .features = 6,
                  .classes = 3};
  config.made = {.samples = 20, .shortest_region = 1, .longest_region = 9};
  config.batch = 6;
  config.steps = steps;
  config.log_every = 1;
  config.machine.device = trainers::DeviceWish::cpu;
  return config;
}

}  // namespace stepscope::token_pipeline
