// SPDX-License-Identifier: Apache-2.0
// The report of a run of several ranks: each rank is read with its own steps and its own exact
// partition, one after the other, and only what the job's ledger needs is kept of it.
//
// Ranks that are missing, cut off, doubled or without steps are named, and the rest is reported;
// where ranks are missing nobody is blamed for coming late.
#pragma once

#include <optional>

#include "cli/input/load_summary.hpp"
#include "core/model/trace.hpp"

namespace stepscope {

// Nothing where fewer than two ranks have steps: then it is one rank's report, and `why_not` says
// why, if the trace is of a job.
std::optional<Summary> job_summary(const Trace& trace, const ReadOptions& options,
                                   std::string& why_not);

}  // namespace stepscope
