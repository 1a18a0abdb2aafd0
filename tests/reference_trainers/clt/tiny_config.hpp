// SPDX-License-Identifier: Apache-2.0
// Sizes at which a step takes about a millisecond.
#pragma once

#include "reference_trainers/clt/config.hpp"

namespace stepscope::clt {

inline Config tiny_config() {
  Config config;
  config.layers = 3;
  config.features = 64;
  config.d_model = 16;
  config.batch = 64;
  config.k = 9;
  config.rows = 512;
  config.steps = 20;
  config.eval_every = 10;
  config.device = trainers::DeviceWish::cpu;
  return config;
}

}  // namespace stepscope::clt
