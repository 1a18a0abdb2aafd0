// SPDX-License-Identifier: Apache-2.0
// What a rule says of a run, as a value, and how a finding is weighed. A rule says what it sees, what
// that costs and what would mend it. Which rule it was, whether a replay agrees, how severe a finding
// is and where it stands among the others is decided once for all rules, by find_all.
#pragma once

#include <string>
#include <vector>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

struct Judgement {
  std::vector<Finding> found;          // without id, share, severity and forecast
  std::vector<std::string> cleared;    // why it costs nothing, or is not there
  std::vector<std::string> abstained;  // why it cannot be judged
  Explained explained;                 // what rules behind this one do not charge again
};

Judgement fired(Finding finding, Explained explained = {});
Judgement cleared(std::string reason);
Judgement abstained(std::string reason);

// The whole of these segments is explained.
Explained whole_segments(const JudgedRun& run, const std::vector<std::size_t>& segments);

// Gives the finding its share, forecast, severity, and why its fix gives nothing. The replay decides
// about severity, but on a trace whose host was slowed: there the host holds back what it would not
// hold back in truth, and ceilings are safer.
void weigh(const JudgedRun& run, Severity most, Finding& finding);

}  // namespace stepscope::rules
