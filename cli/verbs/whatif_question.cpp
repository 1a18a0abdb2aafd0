// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/whatif_question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/findings/all_findings.hpp"
#include "core/simulate/fix_text.hpp"

namespace stepscope {
namespace {

// The fixes of the report's findings, then those that the replay could make anywhere.
std::vector<Repair> proposals(const LoadedRun& run, const Findings& findings,
                              const Simulator& simulator) {
  std::vector<Repair> out;
  std::set<std::string> known;
  const auto propose = [&](const Repair& repair) {
    if (known.insert(text_of(repair, run.trace, run.attribution)).second) out.push_back(repair);
  };
  for (const Finding& finding : findings.found)
    if (!finding.fixes.empty()) propose(finding.fixes);
  for (const Fix& fix : simulator.candidates()) propose({fix});
  return out;
}

// "unfused_attention": what that finding of the report proposes, at all of its places.
Result<Repair> repair_named(const std::string& text, const LoadedRun& run,
                            const Findings& findings) {
  const auto ids = finding_ids();
  if (std::find(ids.begin(), ids.end(), text) == ids.end())
    return parse_fixes(text, run.trace, run.attribution);
  Repair all;
  bool any = false;
  for (const Finding& finding : findings.found) {
    if (finding.id != text) continue;
    any = true;
    all.insert(all.end(), finding.fixes.begin(), finding.fixes.end());
  }
  if (!any)
    return usage_error(fmt::format(
        "--fix '{}': this run has no such finding ('stepscope report' says why)", text));
  if (all.empty())
    return usage_error(fmt::format("--fix '{}': no replay says what its fix gives", text));
  return all;
}

}  // namespace

Result<WhatIf> ask_whatif(const WhatifRequest& request, const LoadedRun& run,
                          const Simulator& simulator, bool is_plain_step) {
  WhatIfQuestion question{.apply_best = request.apply_best};
  const Findings findings = find_all(run.trace, run.steps, run.attribution, run.summary, {});
  for (const std::string& text : request.fixes) {
    const auto repair = repair_named(text, run, findings);
    if (!repair) return repair.error();
    question.tried.push_back(*repair);
  }
  question.proposed = proposals(run, findings, simulator);
  WhatIf out = answer(question, simulator, run.trace, run.attribution);
  out.steps_counted = run.summary.counted.size();
  out.is_plain_step = is_plain_step;
  return out;
}

}  // namespace stepscope
