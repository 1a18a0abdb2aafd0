// SPDX-License-Identifier: Apache-2.0
// A difference, a gate's verdict, a forecast and a history of results as values in words, one
// builder each. Their tables are rendered as those of a report are.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/compare/comparison.hpp"
#include "core/gate/history.hpp"
#include "core/gate/verdict.hpp"
#include "core/report/notes.hpp"
#include "core/simulate/whatif.hpp"

namespace stepscope::report {

struct DiffReport {
  std::string sentence;  // "B takes 28.9 ms a step, A 38.2 ms"; empty: no table is shown
  std::string range;     // over all pairs of runs; of one run a side: whether it may be noise
  std::string a, b;      // what each side is
  std::string a_path, b_path;
  std::vector<std::string> why_not, warnings;
  Table parts;               // summands from A's step to B's
  std::vector<Table> sides;  // by cause, phase and line
  std::vector<Note> replaced;
  Table counts;

  bool is_shown() const { return !sentence.empty(); }
};
DiffReport diff_report(const Comparison& comparison);

Tone tone_of(Outcome outcome);

struct GateReport {
  Tone tone = Tone::neutral;
  std::string title;    // "Regression"
  std::string summary;  // what stands behind it
  Table metrics;        // those that were judged
  std::string note;     // on the table's changes
  struct Reason {
    std::string sentence;
    std::vector<Note> causes;  // largest first; minor: it brings little beside the first
  };
  std::vector<Reason> reasons;                                  // why metrics did not pass
  std::vector<std::pair<std::string, std::string>> not_judged;  // a reason, and its metrics
  std::string counts_alone;                                     // how counts alone are judged
  std::vector<Note> baseline, candidate;                        // the runs of each side
  std::vector<std::string> warnings;                            // A is the baseline
};
GateReport gate_report(const GateVerdict& verdict);

struct WhatIfReport {
  std::vector<std::string> facts;  // the step, what of it is busy, how much was replayed
  std::string check;               // what the unchanged steps give
  std::string not_reliable;        // why no number can be relied on
  Table fixes;
  std::string no_fixes;  // why there are none
  std::vector<std::string> assumptions, notes;
};
WhatIfReport whatif_report(const WhatIf& whatif);

struct MetricHistoryReport {
  Tone tone = Tone::neutral;
  std::string title;  // "Regression"
  std::string sentence;
  Table changes;
  std::vector<std::pair<std::string, std::string>> left_out;  // names, and why
};
std::vector<MetricHistoryReport> history_report(const History& history);

}  // namespace stepscope::report
