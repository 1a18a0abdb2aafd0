// SPDX-License-Identifier: Apache-2.0
// What a run's findings say, in the words of every report.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/wording/step_scale.hpp"
#include "core/summary/finding.hpp"

namespace stepscope {

// "train.py:142 (log)"; a function's own line: "train.py:140 (in log)".
std::string place_text(const FindingPlace& place);
// The first place, without one the phase.
std::string where_text(const Finding& finding);

// "8.21 ms becomes 6.90 (6.70 to 7.20)"; without a replay "up to 1.31 ms a step".
std::string gain_text(const Finding& finding, const StepScale& scale);
// Returns the gain of the fix, as a share of the step.
double gain_share(const Finding& finding, const StepScale& scale);

// Stands above the findings whose fix gives nothing by the replay.
inline constexpr const char* kNoGainHeading =
    "Costs time, but the step would take as long without it";

// "this machine was busy: for 22.6 ms a step ..." of the finding about the machine, which stands
// apart, above those about the program.
std::string machine_text(const Finding& finding);

// "hotspot at train.py:9 (topk): top-k and sorting take 1.2 ms a step; no gain, for the host is
// ..."
std::string no_gain_text(const Finding& finding);

// "inferred: one link of the argument is a rule that holds nearly always"
// "max_pool2d, 15.3 ms, in step 12": an event that shows a finding, by what it is.
std::string event_text(const EvidenceEvent& event);
std::string certainty_text(Certainty certainty);

// One sentence a rule: its id, and its reasons one after another.
struct RuleText {
  std::string id;
  std::string reasons;
};
std::vector<RuleText> by_rule(const std::vector<NotFound>& list);
// The other way round: for each reason the ids, "host_sync, launch_bound".
struct ReasonText {
  std::string reason;
  std::string ids;
};
std::vector<ReasonText> by_reason(const std::vector<NotFound>& list);

// Nothing could be judged: a run without steps.
bool says_nothing(const Findings& findings);

// What a finding's rule is, for formats that list rules beside results: docs/findings/ID.md.

struct FindingRule {
  std::string_view id;
  std::string_view title;  // "the loop waits for the device"
  std::string_view text;   // the page, Markdown
};

// Returns the first paragraph, without the heading: what the pattern is.
std::string_view first_paragraph(const FindingRule& rule);

// Null where no rule has the id.
const FindingRule* rule_with(std::string_view id, std::span<const FindingRule> rules);

}  // namespace stepscope
