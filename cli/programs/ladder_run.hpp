// SPDX-License-Identifier: Apache-2.0
// Runs a ladder's rungs: repeats in turns, the order turned round in every other one, so that a
// host or clock that drifts moves all rungs alike; then each rung once more under the profiler. A
// rung that fails is left out of the rest, with what it said.
//
// Each run's output is written as it goes. Where the user interrupts the ladder, what was measured
// is reported; in a folder that is kept, a later ladder of the same command goes on from it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/programs/work_folder.hpp"
#include "core/ladder/ladder.hpp"

namespace stepscope {

struct PlannedRun {
  RungName rung;          // its id names the run's files
  std::string arguments;  // the trainer's: "--rung R4"
};

struct LadderPlan {
  std::string program;    // the trainer
  std::string arguments;  // for a shell, the same for every run
  std::vector<PlannedRun> runs;
  std::uint32_t repeats = 3;
  std::uint32_t warm_up = 3;  // steps that a profile leaves out, as the trainer's rate does
  bool profiles = true;
  std::string level = "standard";
  bool resume = false;  // takes over the runs that the folder holds
};

// Asks the trainer for its description.
Result<TrainerFacts> ask_trainer(const std::string& program, const WorkFolder& folder);

// Notes in the folder what its runs are of. An Error where the plan resumes and they are of another
// program or of other arguments.
Status claim_folder(const LadderPlan& plan, const WorkFolder& folder);

using ReportProgress = std::function<void(const std::string& line)>;
struct LadderRuns {
  std::vector<RungRuns> rungs;
  bool interrupted = false;  // by the user: not all was run
};
LadderRuns run_ladder(const LadderPlan& plan, const WorkFolder& folder,
                      const ReportProgress& report);

// A word that a shell takes as it is.
std::string quoted_for_shell(const std::string& word);

}  // namespace stepscope
