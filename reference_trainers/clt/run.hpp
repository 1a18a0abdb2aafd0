// SPDX-License-Identifier: Apache-2.0
// A whole run: steps under step marks, progress lines, and the result.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/training/conversion.hpp"
#include "reference_trainers/clt/training/trainer.hpp"
#include "reference_trainers/common/program/trainer_main.hpp"

namespace stepscope::clt {

struct RunResult {
  std::string device;
  int rank = 0, ranks = 1;
  std::int64_t steps = 0, parameters = 0, rows = 0;
  std::int64_t resumed_from = 0;  // steps that were made before this process
  double first_loss = std::numeric_limits<double>::quiet_NaN();  // until one is read
  double last_loss = first_loss;
  std::vector<double> losses;    // losses of the steps at which every variant reads one
  std::int64_t timed_steps = 0;  // behind the warm-up
  double wall_s = 0;             // the steps of this process, evaluations included
  // Mean over the timed steps; NaN: none.
  double ms_per_step = first_loss;
  Metrics metrics;  // metrics of the last evaluation
  bool evaluated = false;
  std::optional<Conversion> conversion;
};

using trainers::Say;

// Runs as the rank that the environment names (comm/rank_environment.hpp), else alone; only rank 0
// prints. A rank that fails notifies the others.
Result<RunResult> run(const Config& config, const Say& say);

// One line: {"schema":"stepscope.train/1","model":"clt",...}. Fields may be added, never renamed.
std::string to_json(const Config& config, const RunResult& result);

}  // namespace stepscope::clt
