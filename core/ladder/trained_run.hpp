// SPDX-License-Identifier: Apache-2.0
// Reads what a reference trainer prints: its description (--list-switches, stepscope.trainer/1) and the
// last line of a run (stepscope.train/1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope {

struct RungName {
  std::string id, name, summary;
  std::string needs;  // the name of a rung that it switches on with itself; else empty
};

struct TrainerFacts {
  std::string model;
  std::vector<RungName> rungs;  // in the ladder's order
};

struct TrainedRun {
  std::string preset, rung, device;
  std::vector<std::string> rungs;  // names of those that were on; empty: not said, or none
  double tokens_per_s = 0, ms_per_step = 0;
  double mfu = 0;  // 0: not said
  std::int64_t tokens_a_step = 0, timed_steps = 0;
  std::int64_t peak_bytes = 0;  // 0: not counted
  std::vector<double> losses;   // by step
};

// Errors name the field.
Result<TrainerFacts> parse_trainer_facts(std::string_view json);
// The last line of `output` that is such a document; other lines are the trainer's progress.
Result<TrainedRun> parse_trained_run(std::string_view output);

}  // namespace stepscope
