// SPDX-License-Identifier: Apache-2.0
// A rule's result: what costs time, where, how much of it a fix would give back, and what would
// prove that wrong.
//
// `caused_ns_per_step` is read off the exact partition: wall time that would not be there without
// the thing, never the duration of a call. `ceiling_ns_per_step` is the most that the fix could
// give back of it. `forecast` comes from the replay (core/simulate). A rule that sees its pattern
// and finds that it costs nothing clears it; one that cannot judge abstains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/simulate/fix.hpp"

namespace stepscope {

enum class Severity : std::uint8_t { info, medium, high };
enum class Certainty : std::uint8_t {
  trace_verified,  // every link of the argument is in the trace
  inferred,        // one link is a rule that holds nearly always
  assumption,      // a number that this trace does not hold
};

// Stable ids: "info", "medium", "high"; "trace_verified", "inferred", "assumption".
std::string_view name_of(Severity severity);
std::string_view name_of(Certainty certainty);
Severity severity_of(double share);  // high from 5 % of the step on, medium from 3 %
std::optional<Severity> severity_named(std::string_view name);

struct FindingPlace {
  std::string file;
  std::uint32_t line = 0;
  SiteKind kind = SiteKind::call;  // function: the line is where the function begins
  std::string function;
  double caused_ns_per_step = 0;
};

// What an event is that shows a finding.
struct EvidenceEvent {
  std::string id;    // "h12": host range, "d34": device op
  std::string name;  // as it stands in the trace
  std::int64_t ns = 0;
  std::optional<std::int64_t> step;  // in which it begins
};

struct Finding {
  std::string id;  // "host_sync": core/findings/rules/rules.def lists the ids
  Severity severity = Severity::info;
  std::string title;  // one sentence with the numbers
  std::string phase;
  std::vector<FindingPlace> places;  // largest first
  double count_per_step = 0;
  double caused_ns_per_step = 0;
  double ceiling_ns_per_step = 0;
  double share = 0;                 // ceiling of the step
  std::optional<double> link_rate;  // share of the caused time that has a line
  std::string shows_as;    // where the partition shows it, if not at its own line; may be empty
  std::vector<Fix> fixes;  // replayed together; not kept in a report's document
  std::optional<Forecast> forecast;
  std::string fix;           // what to do, in words
  std::string code_hint;     // a line or two of code; may be empty
  std::string falsified_by;  // what would show that this is wrong
  Certainty certainty = Certainty::trace_verified;
  std::vector<std::string> evidence;  // up to 3 events: "h12" host range, "d34" device op
  std::vector<EvidenceEvent> events;  // what these are; empty in documents of before this
  std::string no_gain;  // why fixing it gives nothing, by replay; empty: it gives something

  bool by_own_threads = false;  // core_contention: the program itself has the cores
  // Whether its advice makes a step shorter at all is not known: a larger batch, fewer threads.
  bool may_not_shorten = false;

  // It speaks of the machine that the program ran on, not of the program.
  bool is_of_machine() const { return id == "core_contention" && !by_own_threads; }

  // Returns the gain of the fix, by which findings are ordered: by forecast, else at most.
  double gain_ns_per_step(double step_ns) const {
    return forecast ? step_ns - forecast->ns_per_step : ceiling_ns_per_step;
  }
};

// A rule that was looked at and does not hold, or cannot be judged, and why.
struct NotFound {
  std::string id;
  std::string reason;
};

struct Findings {
  std::vector<Finding> found;    // those about the machine, then by what the fix is worth
  std::vector<Finding> no_gain;  // costs time, but a replay of its fix gives nothing
  std::vector<NotFound> cleared;
  std::vector<NotFound> abstained;
  std::string caution;      // what holds for all of them; may be empty
  std::string no_forecast;  // why no finding has a forecast; empty where they may have one
};

}  // namespace stepscope
