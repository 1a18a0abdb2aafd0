// SPDX-License-Identifier: Apache-2.0
// A whole run: steps under step marks, progress lines, and the result.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/common/program/step_clock.hpp"
#include "reference_trainers/common/program/trainer_main.hpp"
#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/training/training.hpp"

namespace stepscope::llm {

struct RunResult {
  std::string device;
  int rank = 0, ranks = 1;
  std::int64_t parameters = 0;
  std::int64_t resumed_from = 0;  // steps that were made before this process
  std::vector<StepLog> log;       // by step of this process
  trainers::TimedSteps timed;
  std::int64_t peak_bytes = 0;  // most bytes of the device's memory; 0 on a CPU

  double tokens_per_s(const Config& config) const;
  double mfu(const Config& config) const;  // 0 on a CPU
};

using trainers::Say;

// Where a loss is not finite the run stops: the message names the step and the file that holds its
// batch. Where memory runs out it names the rungs and what to lower. As one rank of several where
// the environment says so (comm/rank_environment.hpp).
Result<RunResult> run(const Config& config, const Say& say);

// One line: {"schema":"stepscope.train/1","model":"llm",...}. Fields may be added, never renamed.
std::string to_json(const Config& config, const RunResult& result);

// Prints the description that `stepscope ladder` asks for: rungs and presets, one line of JSON.
std::string list_switches();

}  // namespace stepscope::llm
