// SPDX-License-Identifier: Apache-2.0
// A whole run: steps under step marks, progress lines, and the result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/common/program/step_clock.hpp"
#include "reference_trainers/common/program/trainer_main.hpp"
#include "reference_trainers/polychromic/training/training.hpp"

namespace stepscope::polychromic {

using trainers::Say;

struct RunResult {
  std::string device;
  std::int64_t parameters = 0;     // parameters of the decoder
  std::int64_t bytes_of_pass = 0;  // bytes of weights that generating a token reads
  trainers::TimedSteps timed;
  double generate_ms = 0, encode_ms = 0, diversity_ms = 0;  // means over the timed steps
  std::int64_t peak_bytes = 0;     // most memory of the device in use; 0 on a CPU
  std::vector<StepNumbers> steps;  // every one
  std::vector<std::vector<std::int64_t>> first_replies;  // replies of the first step
};

// Where a loss is not finite the run stops: the message names the step and the file that holds its
// batch. Where memory runs out it says what to lower.
Result<RunResult> run(const Config& config, const Say& say);

// Writes one line: {"schema":"stepscope.train/1","model":"polychromic",...}. Fields may be added,
// never renamed.
std::string to_json(const Config& config, const RunResult& result);

}  // namespace stepscope::polychromic
