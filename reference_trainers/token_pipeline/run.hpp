// SPDX-License-Identifier: Apache-2.0
// A whole run: steps under step marks, progress lines, and the result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/common/program/step_clock.hpp"
#include "reference_trainers/common/program/trainer_main.hpp"
#include "reference_trainers/token_pipeline/config.hpp"
#include "reference_trainers/token_pipeline/training/training.hpp"

namespace stepscope::token_pipeline {

using trainers::Say;

struct RunResult {
  std::string device;
  int rank = 0, ranks = 1;
  std::int64_t parameters = 0;
  std::int64_t samples_a_step = 0;
  double tokens_a_step = 0;  // the mean over the timed steps, without padding
  trainers::TimedSteps timed;
  std::int64_t peak_bytes = 0;   // most bytes of the device's memory; 0 on a CPU
  std::vector<StepLoss> losses;  // by step

  double samples_per_s() const { return timed.rate(static_cast<double>(samples_a_step)); }
};

// Where a loss is not finite the run stops: the message names the step and the file that holds its
// batch. Where memory runs out it says what to lower. As one rank of several where the environment
// says so (comm/rank_environment.hpp).
Result<RunResult> run(const Config& config, const Say& say);

// One line: {"schema":"stepscope.train/1","model":"token_pipeline",...}. Fields may be added, never
// renamed.
std::string to_json(const Config& config, const RunResult& result);

}  // namespace stepscope::token_pipeline
