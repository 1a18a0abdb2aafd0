// SPDX-License-Identifier: Apache-2.0
// The report of a run of several ranks: each rank is read with its own steps and its own exact
// partition, one after the other, and only what the job's ledger needs is kept of it.
//
// Ranks that are missing, cut off, doubled or without steps are named, and the rest is reported;
// where ranks are missing nobody is blamed for coming late.
#pragma once

#include <optional>
#include <string>

#include "core/model/trace.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// How each rank is read.
struct JobOptions {
  std::string step_marker;
  std::string phase;
  std::optional<SectionChoice> section;
  SummaryOptions summary;
  bool find = false;  // look for findings, too
};

// Nothing where fewer than two ranks have steps: then it is one rank's report, and `why_not` says
// why, if the trace is of a job.
std::optional<Summary> read_job(const Trace& trace, const JobOptions& options,
                                std::string& why_not);

}  // namespace stepscope
