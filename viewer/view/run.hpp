// SPDX-License-Identifier: Apache-2.0
// One run as the viewer reads it: the trace, and what core concluded from it. The viewer computes
// no result of its own.
//
// A run is shown as soon as its trace is read, and again with each thing that is concluded from it:
//   glance          the trace alone, in a moment
//   analyse         steps, who owns their time, the tables; without options.find no findings
//   find_all_replayed (core/findings)  what to do; the longest
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "core/attribution/idle_gaps.hpp"
#include "core/device_health/device_samples.hpp"
#include "core/model/trace.hpp"
#include "core/steps/steps.hpp"
#include "core/summary/ranks.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::viewer {

struct RunOptions {
  std::string step_marker;  // --step-marker REGEX
  std::string phase;        // --phase REGEX
  std::optional<std::int32_t> rank;
  std::optional<std::int64_t> pid = {};  // --process PID
  std::optional<SectionChoice> section;  // --section
  bool find = true;                      // look for findings, and at all ranks, too
  std::shared_ptr<const Summary> job;    // summary of all ranks, where it is known already
};

struct Run {
  bool is_analysed =
      false;  // false: of a glance, and only trace, options and op_classes say anything
  Trace trace;
  RunOptions options;
  Steps steps;
  Attribution attribution;
  Summary summary;
  std::vector<Cause> op_classes;  // by DeviceOpId, of all processes
  std::vector<PhaseVisit> phase_stays;
  std::vector<IdleGap> gaps;                       // idle gaps of the process
  std::vector<std::vector<IdleGap>> device_gaps;   // by row of Attribution::devices
  std::map<std::uint32_t, DeviceSamples> samples;  // counters, by device
  Ranks ranks;
  // Summary of all ranks; none where the run has one, or is not read.
  std::shared_ptr<const Summary> job;
};

// Every table has a row for what refers to it, and says nothing.
Run glance(Trace trace, const RunOptions& options = {});

// Steps, attribution, findings: what `stepscope report` does of the same trace.
Result<Run> analyse(Trace trace, const RunOptions& options = {});

// Summarises all ranks of a run, each read on its own: as long as that takes.
std::shared_ptr<const Summary> job_of(const Run& run);

// Returns a rank of the summary of all ranks; nullptr where there is none, or it tells nothing of who
// waited for whom.
const JobRank* job_rank(const Run& run, std::int32_t rank);

// Returns the word that stands beside a rank: "late: host" as in a report, or, where it isn't known who
// waited for whom, "slowest" or "median" by its own steps; else "".
std::string rank_note(const Run& run, std::uint32_t row);

}  // namespace stepscope::viewer
