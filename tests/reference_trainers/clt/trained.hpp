// SPDX-License-Identifier: Apache-2.0
// All steps of a configuration on the CPU, on one thread, so that their numbers repeat.
#pragma once

#include <ATen/Parallel.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/clt/training/training.hpp"

namespace stepscope::clt {

inline std::vector<StepResult> train(const Config& config) {
  at::set_num_threads(1);
  const auto trainer = make_training(config, at::kCPU);
  std::vector<StepResult> results;
  for (std::int64_t step = 0; step < config.steps; ++step) results.push_back(*trainer->step(step));
  return results;
}

}  // namespace stepscope::clt
