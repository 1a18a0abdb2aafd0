// SPDX-License-Identifier: Apache-2.0
// From a path to a Summary, the one way of every verb that compares or prints runs: a trace of any
// format that can be imported, or the JSON document that `stepscope report --format json` wrote,
// distinguished by content. A run of several ranks of which none is chosen is summed up as a job.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/report/read_job.hpp"
#include "core/summary/summary.hpp"
#include "core/support/progress.hpp"

namespace stepscope {

// How a trace is read. A document has been read once already, so no option changes it.
struct ReadOptions {
  std::string step_marker;               // --step-marker REGEX
  std::string phase;                     // --phase REGEX
  std::optional<std::int32_t> rank;      // --rank N
  std::optional<std::int64_t> pid = {};  // --process PID
  std::optional<SectionChoice> section;  // --section
  SummaryOptions summary;
  bool all_apply = false;  // an option that a document cannot follow is an error, not passed over
  bool find = false;       // look for findings, too (a document has them already)
  const JobReaders* readers = nullptr;  // processes that read a job beside this one

  bool names_process() const { return rank || pid; }
  JobOptions of_job() const { return {step_marker, phase, section, summary, find}; }
};

// Usage errors for regular expressions that are none, before any file is read.
Status check_read_options(const ReadOptions& options);

// Shows progress on stderr where that is a terminal.
Result<Summary> load_summary(const std::string& path, const ReadOptions& options = {});
// Tells `progress` alone.
Result<Summary> load_summary(const std::string& path, const ReadOptions& options,
                             const Progress& progress);

// Several traces, none of them a report's document, with no rank chosen: they may be a file a rank.
bool may_be_files_of_job(const std::vector<std::string>& paths, const ReadOptions& options);
// The job of these files. Nothing where they are not the ranks of one job; `why_not` then says why,
// if the first one names a rank.
Result<std::optional<Summary>> job_of_files(const std::vector<std::string>& paths,
                                            const ReadOptions& options, const Progress& progress,
                                            std::string& why_not);

// Whether the file is a report's document rather than a trace.
bool is_report_document(const std::string& path);

// Several runs as Summaries, in the order given. Two are read at the same time where there are two
// cores, and where both may take their fill within half of the memory that is left. The results
// are those of load_summary, whichever way it goes.

// One a path; fewer where a run could not be read, which is then the last.
std::vector<Result<Summary>> load_summaries(std::span<const std::string> paths,
                                            const ReadOptions& options);

// About what reading a run comes to hold at most; 0 of a path that cannot be looked at.
std::uint64_t bytes_to_read(const std::string& path);

// The options of reading a trace, for every verb that reads one. What an option sets must outlive
// the verb's callback.

// --step-marker, --phase, and --section: which of the loops that a run has one after the other.
void add_reading_options(CLI::App& verb, ReadOptions& options);
// --rank, where a run of several ranks is read as one.
void add_process_options(CLI::App& verb, ReadOptions& options);

}  // namespace stepscope
