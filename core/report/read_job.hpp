// SPDX-License-Identifier: Apache-2.0
// The report of a run of several ranks: each rank is read with its own steps and its own exact
// partition, and only what the job's ledger needs is kept of it. Ranks of different files are read
// side by side on the cores that there are; the result does not depend on how many.
//
// Ranks that are missing, cut off, doubled or without steps are named, and the rest is reported;
// where ranks are missing nobody is blamed for coming late.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/trace.hpp"
#include "core/summary/summary.hpp"
#include "core/support/progress.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// Where the ranks of a job were recorded, in parts that are read one by one, so that the whole job
// need not be in memory. A part holds one rank or several.
class JobTraces {
 public:
  virtual ~JobTraces() = default;
  virtual std::size_t size() const = 0;
  virtual std::string name(std::size_t part) const = 0;
  // About what reading the part comes to hold at most.
  virtual std::uint64_t bytes_to_read(std::size_t part) const = 0;
  // What could not be looked at, a sentence each.
  virtual std::vector<std::string> problems() const { return {}; }
  // Hands the part's trace over, from any thread. Errors: those of load().
  virtual Status use(std::size_t part, const std::function<void(const Trace&)>& user) const = 0;
};

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

// The same of several parts. Nothing also where two parts hold the same rank. Errors: those of
// load(), for any of the parts.
Result<std::optional<Summary>> read_job(const JobTraces& traces, const JobOptions& options,
                                        const Progress& progress, std::string& why_not);

}  // namespace stepscope
