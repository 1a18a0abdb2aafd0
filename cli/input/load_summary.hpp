// SPDX-License-Identifier: Apache-2.0
// From a path to a Summary, the one way of every verb that compares or prints runs: a trace of any
// format that can be imported, or the JSON document that `stepscope report --format json` wrote,
// distinguished by content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/report/read_job.hpp"
#include "core/summary/summary.hpp"
#include "core/support/progress.hpp"

namespace stepscope {

// How a trace is read. A document has been read once already, so no option changes it.
struct ReadOptions {
  std::string step_marker;  // --step-marker REGEX
  std::string phase;        // --phase REGEX
  std::optional<std::int32_t> rank;
  std::optional<SectionChoice> section;  // --section
  SummaryOptions summary;
  bool all_apply = false;  // an option that a document cannot follow is an error, not passed over
  bool job = false;        // where no rank is chosen, several ranks are summed up as a job
  bool find = false;       // look for findings, too (a document has them already)

  JobOptions of_job() const { return {step_marker, phase, section, summary, find}; }
};

// Usage errors for regular expressions that are none, before any file is read.
Status check_read_options(const ReadOptions& options);

// Shows progress on stderr where that is a terminal.
Result<Summary> load_summary(const std::string& path, const ReadOptions& options = {});
// Tells `progress` alone.
Result<Summary> load_summary(const std::string& path, const ReadOptions& options,
                             const Progress& progress);

// Whether the file is a report's document rather than a trace.
bool is_report_document(const std::string& path);

}  // namespace stepscope
