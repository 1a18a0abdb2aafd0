// SPDX-License-Identifier: Apache-2.0
// The report of a run of several ranks: each rank is read with its own steps and its own exact
// partition, and only what the job's ledger needs is kept of it. Ranks of different files are read
// side by side on the cores that there are; the result does not depend on how many.
//
// A rank that reduced itself when it ended (core/summary/job/rank_summary.hpp) is read from its
// summary. The result is the same, and its events are read only where the findings need them.
//
// Ranks that are missing, cut off, doubled or without steps are named, and the rest is reported;
// where ranks are missing nobody is blamed for coming late.
#pragma once

#include <optional>
#include <string>

#include "core/model/trace.hpp"
#include "core/report/read_parts.hpp"
#include "core/summary/summary.hpp"
#include "core/support/progress.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// Nothing where fewer than two ranks have steps: then it is one rank's report, and `why_not` says
// why, if the trace is of a job.
std::optional<Summary> read_job(const Trace& trace, const JobOptions& options,
                                std::string& why_not);

// The same of several parts. Nothing also where two parts hold the same rank. Errors: those of
// load(), for any of the parts. `readers`: those that read beside this process, or null.
Result<std::optional<Summary>> read_job(const JobTraces& traces, const JobOptions& options,
                                        const Progress& progress, std::string& why_not,
                                        const JobReaders* readers = nullptr);

}  // namespace stepscope
