// SPDX-License-Identifier: Apache-2.0
// A trace with all that is read off it: the way of every verb that needs events and not only sums.
#pragma once

#include <string>

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

}  // namespace stepscope
