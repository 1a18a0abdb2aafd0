// SPDX-License-Identifier: Apache-2.0
// Runs the rules in the order of rules.def, and decides about what they say.
#include "core/findings/all_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/findings/advice/trainer_terms.hpp"
#include "core/findings/rules/rules.hpp"

namespace stepscope {
namespace {

enum class Reads : std::uint8_t { run, work, calls };
enum class Judges : std::uint8_t { device_run, operations, any_run };

struct Rule {  // rules.def says what each member means
  std::string_view id;
  Reads reads;
  Judges judges;
  rules::Judgement (*judge)(const rules::JudgedRun&);
  Severity most;
};

constexpr Rule kRules[] = {
#define RULE(id, reads, device, most) \
  {#id, Reads::reads, Judges::device, rules::judge_##id, Severity::most},
#include "core/findings/rules/rules.def"
#undef RULE
};

// Whether steps begin where the program marks it, or are given. Else the first one's begin is a guess.
bool are_marked(FoundBy found_by) {
  return found_by == FoundBy::none || found_by == FoundBy::user_marker ||
         found_by == FoundBy::profiler_step || found_by == FoundBy::nvtx_step;
}

// Returns why no rule can be judged; empty where they can.
std::string why_none(const rules::JudgedRun& run) {
  if (!run.summary.trust.broken_invariants.empty())
    return "the partition of this trace contradicts itself";
  if (run.steps.found_by == FoundBy::whole_trace)
    return "no steps were found, so nothing is per step";
  if (run.summary.partition.steps_counted == 0) return "no step was counted";
  if (run.is_first_step_alone() && !are_marked(run.steps.found_by))
    return "the first step is the only one that was counted, and its begin is a guess: it holds "
           "what a program does once";
  return "";
}

std::string why_not(const Rule& rule, const Trace& trace, ProcessId process) {
  if (rule.reads == Reads::run) return "";
  if (rule.judges == Judges::operations && trace.lacks_operations(process))
    return "PyTorch's operations were not recorded, since this machine has a GPU: 'stepscope "
           "profile --ops' records them";
  if (trace.device_ops().size() == 0) {
    if (trace.used_device()) return "the device's work was not recorded";
    return rule.judges != Judges::device_run ? "" : "no device worked in this run";
  }
  if (rule.reads == Reads::calls && !trace.collected().api_calls)
    return "CUDA calls were not recorded";
  return "";
}

// Returns the share of the device's work in counted steps that is in whole graphs.
double share_in_whole_graphs(const rules::JudgedRun& run) {
  const DeviceOps& d = run.trace.device_ops();
  std::int64_t all = 0, graphs = 0;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (!run.counts_op(op)) continue;
    all += d.end[op] - d.begin[op];
    if (d.kind[op] == DeviceOpKind::graph) graphs += d.end[op] - d.begin[op];
  }
  return all == 0 ? 0 : static_cast<double>(graphs) / static_cast<double>(all);
}

// A rule that did not see the work in whole graphs clears nothing.
void take_back_what_graphs_hide(double hidden, rules::Judgement& judgement) {
  constexpr double kMuch = 0.1;
  if (hidden < kMuch || judgement.cleared.empty()) return;
  judgement.cleared.clear();
  judgement.abstained.push_back(fmt::format(
      "{:.0f} % of the device's work lies in CUDA graphs that were recorded whole", 100 * hidden));
}

// The terms in which the reader is told what to do.
struct Terms {
  std::string_view device_module;
  rules::Trainer trainer{};
};

std::string in_terms(std::string text, const Terms& terms) {
  return rules::for_device(rules::for_trainer(std::move(text), terms.trainer), terms.device_module);
}

// Returns whether the function runs the loop whose iterations are the steps: it is not compiled as a whole.
bool runs_the_loop(const Steps& steps, std::string_view function) {
  for (const Section& section : steps.sections)
    for (const Division& division : section.divisions)
      if (division.loop.ends_with(fmt::format("({})", function))) return true;
  return false;
}

std::string code_hint_of(const rules::JudgedRun& run, const Finding& finding, const Terms& terms) {
  std::string out = in_terms(finding.code_hint, terms);
  if (!finding.places.empty() && !runs_the_loop(run.steps, finding.places.front().function))
    rules::put_compiled_function(finding.places.front().function, out);
  return out;
}

void take(const rules::JudgedRun& run, const Rule& rule, const Terms& terms,
          rules::Judgement judgement, Findings& out) {
  const std::string id(rule.id);
  for (Finding& finding : judgement.found) {
    finding.id = id;
    finding.fix = rules::for_device(std::move(finding.fix), terms.device_module);
    finding.code_hint = code_hint_of(run, finding, terms);
    weigh(run, rule.most, finding);
    (finding.no_gain.empty() ? out.found : out.no_gain).push_back(std::move(finding));
  }
  for (std::string& reason : judgement.cleared) out.cleared.push_back({id, std::move(reason)});
  for (std::string& reason : judgement.abstained) out.abstained.push_back({id, std::move(reason)});
}

std::vector<std::string> cautions_of(const rules::JudgedRun& run, bool is_judged) {
  constexpr double kMuchUnknown = 0.05;
  std::vector<std::string> out;
  if (run.inflated)
    out.emplace_back(
        "the profiler of this trace slowed the host: what rests on host time is an upper bound; "
        "--plain-step gives the true step");
  if (!is_judged) return out;
  if (run.is_first_step_alone())
    out.emplace_back(
        "the first step is the only one that was counted: it holds what a program does once");
  else if (run.summary.partition.steps_counted == 1 && !run.inflated)
    out.emplace_back("one step was counted: how much steps vary is not known");
  const double unknown = run.share(run.unknown_per_step());
  if (unknown >= kMuchUnknown)
    out.push_back(
        fmt::format("{:.0f} % of the step has no explanation, and what it would give is not known",
                    100 * unknown));
  return out;
}

// Returns the gain by which findings are ordered. Where no replay says it, half of the most that the fix
// could give stands for it.
double likely_gain(const Finding& finding, double step_ns) {
  constexpr double kLikely = 0.5;
  return (finding.forecast || !finding.fixes.empty() ? 1 : kLikely) *
         finding.gain_ns_per_step(step_ns);
}

// Those about the machine stand first, the others by what their fix is likely to give, and last those
// whose advice may make no step shorter.
void put_in_order(double step_ns, std::vector<Finding>& found) {
  std::stable_sort(found.begin(), found.end(), [step_ns](const Finding& a, const Finding& b) {
    if (a.is_of_machine() != b.is_of_machine()) return a.is_of_machine();
    if (a.may_not_shorten != b.may_not_shorten) return b.may_not_shorten;
    return likely_gain(a, step_ns) > likely_gain(b, step_ns);
  });
}

}  // namespace

Findings find_all(const Trace& trace, const Steps& steps, const Attribution& attribution,
                  const Summary& summary, const Forecaster& forecaster) {
  Findings out;
  if (!forecaster)
    out.no_forecast = "gains are the most that a fix could give, for none was forecast";
  rules::JudgedRun run(trace, steps, attribution, summary, forecaster);
  const std::string none = why_none(run);
  out.caution = fmt::format("{}", fmt::join(cautions_of(run, none.empty()), "; "));
  const double hidden = share_in_whole_graphs(run);
  const Terms terms{rules::device_module_of(trace), rules::trainer_of(trace)};
  for (const Rule& rule : kRules) {
    rules::Judgement judgement;
    if (const std::string reason = none.empty() ? why_not(rule, trace, steps.process) : none;
        !reason.empty())
      judgement = rules::abstained(reason);
    else
      judgement = rule.judge(run);
    if (rule.reads == Reads::work) take_back_what_graphs_hide(hidden, judgement);
    run.explain(judgement.explained);
    take(run, rule, terms, std::move(judgement), out);
  }
  put_in_order(run.step_ns, out.found);
  name_evidence(trace, steps, out);
  return out;
}

std::vector<std::string_view> finding_ids() {
  std::vector<std::string_view> out;
  for (const Rule& rule : kRules) out.push_back(rule.id);
  return out;
}

}  // namespace stepscope
