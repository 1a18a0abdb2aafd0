// SPDX-License-Identifier: Apache-2.0
// A configuration that trains in milliseconds.
#pragma once

#include "reference_trainers/polychromic/config.hpp"

namespace stepscope::polychromic {

inline Config small_polychromic() {
  Config config;
  use_preset(config, all_presets().front());
  config.decoder = {.layers = 2, .d_model = 16, .heads = 2};
  config.encoder = {.layers = 1, .d_model = 12, .heads = 2};
  config.vocabulary = 23;
  config.lengths = {.prompt = 3, .reply = 6};
  config.batch = 4;
  config.sequences = 13;
  config.steps = 6;
  config.machine.device = trainers::DeviceWish::cpu;
  return config;
}

}  // namespace stepscope::polychromic
