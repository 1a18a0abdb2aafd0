// SPDX-License-Identifier: Apache-2.0
// A trace with all that is read off it: the way of every verb that needs events and not only sums.
#pragma once

#include <string>
#include <vector>

#include "cli/input/load_summary.hpp"
#include "core/attribution/attribution.hpp"
#include "core/model/trace.hpp"
#include "core/steps/steps.hpp"
#include "core/summary/summary.hpp"
#include "core/support/progress.hpp"

namespace stepscope {

struct LoadedRun {
  Trace trace;
  Steps steps;
  Attribution attribution;
  Summary summary;  // without findings
};

// Errors as of load(), find_steps() and attribute().
// The same for a trace that has been loaded from `path` already.
Result<LoadedRun> read_run(Trace trace, const std::string& path, const ReadOptions& options);

Result<LoadedRun> load_run(const std::string& path, const ReadOptions& options,
                           const Progress& progress);

// Folders that other profilers filled with a file a rank (torch.profiler's tensorboard handler, nsys
// under a launcher) stand for these files.

// Each path in order. A folder that is no run of stepscope's, but holds traces (.json, .json.gz,
// .sqlite), is replaced by these, by name; any other path stays.
std::vector<std::string> with_folders_opened(const std::vector<std::string>& paths);

// A run whose launcher was killed, too (the end that a batch system or the kernel gives a whole
// job), has its last records in live/ still.

// Moves them into the run's files where their processes are gone, and says so on stderr. Does
// nothing for any other path, and leaves alone what may still run.
void recover_run(const std::string& path);

}  // namespace stepscope
