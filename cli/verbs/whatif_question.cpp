// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/whatif_question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/findings/all_findings.hpp"
#include "core/simulate/fix_reader.hpp"
#include "core/simulate/fix_text.hpp"
#include "core/support/words.hpp"

namespace stepscope {
namespace {

Proposal proposal_of(const Finding& finding) {
  Proposal out{.repair = finding.fixes, .finding = finding.id, .phase = finding.phase};
  if (finding.places.empty()) return out;
  const FindingPlace& first = finding.places.front();
  out.file = first.file;
  out.line = first.line;
  out.line_kind = first.kind;
  out.function = first.function;
  out.other_lines = finding.places.size() - 1;
  return out;
}

// Findings by how their fixes are written: a fix that a user writes so is the finding's, and has
// its price.
class Proposals {
 public:
  Proposals(const LoadedRun& run, const Findings& findings, const Simulator& simulator)
      : run_(run) {
    for (const auto* list : {&findings.found, &findings.no_gain})
      for (const Finding& finding : *list)
        if (!finding.fixes.empty() && (finding.forecast || !simulator.abstained().empty()))
          propose(proposal_of(finding));
    for (const Fix& fix : simulator.candidates())
      if (!is_of_a_finding(fix) && !is_advised_against(fix, findings)) propose({.repair = {fix}});
  }

  const std::vector<Proposal>& all() const { return all_; }
  Proposal as_proposed(Repair repair) const {
    if (repair.size() == 1 && is_of_a_finding(repair.front())) return of_kind(repair.front().kind);
    const std::string text = text_of(repair, run_.trace, run_.attribution);
    const auto known = std::find(texts_.begin(), texts_.end(), text);
    if (known == texts_.end()) return {.repair = std::move(repair)};
    return all_[static_cast<std::size_t>(known - texts_.begin())];
  }

 private:
  // Workers for the input, where a finding about it knows of no core for them, or that taking batches from
  // them is what takes long, and proposes another repair.
  static bool is_advised_against(const Fix& fix, const Findings& findings) {
    if (fix.kind != FixKind::prefetch_input) return false;
    return std::ranges::any_of(findings.found, [](const Finding& finding) {
      return (finding.id == "input_starvation" || finding.id == "batch_unpacking") &&
             (finding.fixes.empty() || finding.fixes.front().kind != FixKind::prefetch_input);
    });
  }

  // The same change of the whole step, which the finding knows more of: where, how much, which
  // cores.
  bool is_of_a_finding(const Fix& fix) const {
    const bool is_one = fix.kind == FixKind::prefetch_input || fix.kind == FixKind::fuse_optimizer;
    const FixScope& s = fix.scope;
    return is_one && s.sites.empty() && s.phases.empty() && !s.cause &&
           fix.workers == Fix().workers && !of_kind(fix.kind).repair.empty();
  }

  Proposal of_kind(FixKind kind) const {
    for (const Proposal& one : all_)
      if (!one.finding.empty() && one.repair.size() == 1 && one.repair.front().kind == kind)
        return one;
    return {};
  }

  void propose(Proposal proposal) {
    std::string text = text_of(proposal.repair, run_.trace, run_.attribution);
    const bool is_finding = !proposal.finding.empty();
    if (!is_finding && std::find(texts_.begin(), texts_.end(), text) != texts_.end()) return;
    texts_.push_back(std::move(text));
    all_.push_back(std::move(proposal));
  }

  const LoadedRun& run_;
  std::vector<std::string> texts_;
  std::vector<Proposal> all_;
};

// Says why a finding has no repair to replay, by its id.
std::string why_not_forecast(const std::string& id, const Findings& findings) {
  const auto is_named = [&id](const auto& one) { return one.id == id; };
  if (std::ranges::any_of(findings.found, is_named)) return "no replay says what its fix gives";
  for (const auto* list : {&findings.cleared, &findings.abstained})
    if (const auto one = std::ranges::find_if(*list, is_named); one != list->end())
      return fmt::format("this run has no such finding ({}: {})",
                         list == &findings.cleared ? "cleared" : "not judged", one->reason);
  return "this run has no such finding";
}

bool is_finding(std::string_view id) {
  const auto ids = finding_ids();
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::string place_of(const Proposal& proposal) {
  return fmt::format("{}:{}", proposal.file, proposal.line);
}

// Puts the repairs of the finding together that stand at the place; all of them where it is empty.
Proposal repairs_of(std::string_view id, std::string_view place, const Proposals& proposals) {
  Proposal all;
  for (const Proposal& one : proposals.all()) {
    const bool is_there = place.empty() || ends_with_path(place_of(one), place);
    if (one.finding != id || !is_there) continue;
    if (all.repair.empty()) {
      all = one;
    } else {
      all.repair.insert(all.repair.end(), one.repair.begin(), one.repair.end());
      all.other_lines += 1 + one.other_lines;
    }
  }
  return all;
}

// The first line of each repair of the finding; empty where none has a line.
std::string places_of(std::string_view id, const Proposals& proposals) {
  std::vector<std::string> places;
  for (const Proposal& one : proposals.all())
    if (one.finding == id && one.line > 0) places.push_back(place_of(one));
  return fmt::format("{}", fmt::join(places, ", "));
}

// "unfused_attention": what that finding of the report proposes, at all of its places;
// "host_sync@train.py:88": at the line that the report names with it. Other texts are fixes.
Result<Proposal> repair_named(const std::string& text, const LoadedRun& run,
                              const Findings& findings, const Proposals& proposals) {
  const std::size_t at = std::min(text.find('@'), text.size());
  const std::string id = text.substr(0, at);
  const std::string place = text.substr(std::min(at + 1, text.size()));
  if (!is_finding(id)) {
    const auto fixes = parse_fixes(text, run.trace, run.attribution);
    if (!fixes) return fixes.error();
    return proposals.as_proposed(*fixes);
  }
  Proposal all = repairs_of(id, place, proposals);
  if (!all.repair.empty()) return all;
  std::string why = why_not_forecast(id, findings);
  if (!repairs_of(id, "", proposals).repair.empty()) {
    const std::string there = places_of(id, proposals);
    why = fmt::format("the finding is not at '{}'; it is at {}", place,
                      there.empty() ? "no line, so name it without one" : there);
  }
  return usage_error(fmt::format("--fix '{}': {}", text, why));
}

}  // namespace

Result<WhatIf> ask_whatif(const WhatifRequest& request, const LoadedRun& run,
                          const Findings& findings, const Simulator& simulator) {
  WhatIfQuestion question{.apply_best = request.apply_best};
  const Proposals proposals(run, findings, simulator);
  for (const std::string& text : request.fixes) {
    const auto proposal = repair_named(text, run, findings, proposals);
    if (!proposal) return proposal.error();
    question.tried.push_back(*proposal);
  }
  question.proposed = proposals.all();
  WhatIf out = answer(question, simulator, run.trace, run.attribution);
  out.steps_counted = run.summary.counted.size();
  return out;
}

}  // namespace stepscope
