// SPDX-License-Identifier: Apache-2.0
// A whole run: steps under step marks, evaluations, progress lines, and the result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/common/program/step_clock.hpp"
#include "reference_trainers/common/program/trainer_main.hpp"
#include "reference_trainers/tree/config.hpp"

namespace stepscope::tree {

using trainers::Say;

struct RunResult {
  std::string device;
  std::int64_t parameters = 0;
  trainers::TimedSteps timed;   // with their evaluations
  std::int64_t peak_bytes = 0;  // most bytes of the device's memory; 0 on a CPU
  std::vector<double> losses;   // by step
  std::vector<double> eval_losses;
};

// Where a loss is not finite the run stops: the message names the step and the file that holds its
// batch. Where memory runs out it says what to lower.
Result<RunResult> run(const Config& config, const Say& say);

// One line: {"schema":"stepscope.train/1","model":"tree",...}. Fields may be added, never renamed.
std::string to_json(const Config& config, const RunResult& result);

}  // namespace stepscope::tree
