// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/compare/same_program.hpp"
#include "core/gate/rules.hpp"
#include "core/gate/usable_runs.hpp"
#include "core/gate/verdict.hpp"
#include "core/summary/run_folder.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

using Runs = std::vector<const Summary*>;

void add_new(std::vector<std::string>& to, const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    if (std::find(to.begin(), to.end(), line) == to.end()) to.push_back(line);
}

std::vector<double> values(const Metric& metric, const Runs& runs) {
  std::vector<double> out;
  for (const Summary* run : runs)
    if (const auto value = value_of(metric, *run)) out.push_back(*value);
  return out;
}

std::vector<double> clocks(const Runs& runs) {
  std::vector<double> out;
  for (const Summary* run : runs)
    if (const auto clock = clock_of(*run)) out.push_back(*clock);
  return out;
}

std::optional<double> median_value(const Metric& metric, const Runs& runs) {
  std::vector<double> known = values(metric, runs);
  return known.empty() ? std::nullopt : std::optional(median_of(std::move(known)));
}

// Whether every run has the metric.
bool all_have(const Metric& metric, const Runs& runs) {
  return !runs.empty() && values(metric, runs).size() == runs.size();
}

// Whether a count depends on what a recorder listens to: counts of calls on the host do, counts of
// device work do not.
bool depends_on_recorder(std::string_view count) {
  return count == "launches" || count == "graph_launches" || count == "host_syncs" ||
         count == "allocations" || count == "cpu_ops" || count == "loader_ops";
}

// The warnings that the comparison of two runs gave, by the places of these runs.
struct PairWarnings {
  std::size_t baseline = 0;
  std::size_t candidate = 0;
  std::vector<std::string> lines;
};

class Gate {
 public:
  Gate(const Policy& policy, const std::vector<Summary>& baseline,
       const std::vector<Summary>& candidate)
      : policy_(policy), baseline_(baseline), candidate_(candidate) {}

  GateVerdict run() {
    sides_ = usable_runs(policy_, baseline_, candidate_);
    out_.baseline = sides_.baseline.rows;
    out_.candidate = sides_.candidate.rows;
    out_.level = policy_.level;
    out_.paired = policy_.paired;
    if (policy_.compares() && baseline_.empty() && !policy_.needs_baseline()) {
      leave_out_rules();
    } else if (policy_.compares()) {
      check_comparable();
      if (out_.comparable) judge_rules();
      if (policy_.new_findings && out_.comparable) judge_findings(*policy_.new_findings);
    }
    for (const Budget& budget : policy_.budgets)
      out_.metrics.push_back(judge_budget(budget, sides_.candidate.counted));
    add_causes();
    conclude();
    return std::move(out_);
  }

 private:
  void check_comparable() {
    if (baseline_.empty()) out_.why_not.emplace_back("there is no baseline");
    if (candidate_.empty()) out_.why_not.emplace_back("there is no candidate");
    if (policy_.paired && baseline_.size() != candidate_.size())
      out_.why_not.push_back(
          fmt::format("runs are paired, but there are {} of the baseline and {} of the candidate",
                      baseline_.size(), candidate_.size()));
    for (std::size_t b = 0; b < baseline_.size(); ++b) {
      for (std::size_t c = 0; c < candidate_.size(); ++c) compare_sides(b, c);
      check_device(baseline_[b]);
    }
    add_warnings();
    out_.comparable = out_.why_not.empty();
  }

  // Reasons against are those of any two runs; what is only to be known, of as many pairs as name
  // each run once.
  void compare_sides(std::size_t at_b, std::size_t at_c) {
    const Summary& b = baseline_[at_b];
    const Summary& c = candidate_[at_c];
    Comparison pair;
    compare_parts::judge_comparability(b, c, {}, pair);
    add_new(out_.why_not, pair.why_not);
    const bool is_of_middle = at_b == std::min(at_c, baseline_.size() - 1) ||
                              at_c == std::min(at_b, candidate_.size() - 1);
    if (is_of_middle) warnings_.push_back({at_b, at_c, std::move(pair.warnings)});
    if (b.run.source != c.run.source) other_source_ = true;
  }

  // A warning that some pairs of runs lack names its two runs: other pairs may say the opposite.
  void add_warnings() {
    for (const PairWarnings& pair : warnings_) {
      for (const std::string& line : pair.lines) {
        const bool everywhere =
            std::all_of(warnings_.begin(), warnings_.end(), [&](const PairWarnings& other) {
              return std::find(other.lines.begin(), other.lines.end(), line) != other.lines.end();
            });
        add_new(out_.warnings,
                {everywhere ? line
                            : fmt::format("run {} of the baseline and {} of the candidate: {}",
                                          pair.baseline + 1, pair.candidate + 1, line)});
      }
    }
  }

  void check_device(const Summary& b) {
    for (const std::vector<Summary>* side : {&baseline_, &candidate_})
      for (const Summary& run : *side)
        if (!b.run.device_uuid.empty() && !run.run.device_uuid.empty() &&
            b.run.device_uuid != run.run.device_uuid)
          other_unit_ = true;
    if (b.run.device != baseline_.front().run.device)
      add_new(out_.why_not, {fmt::format("the baseline's own runs used {} and {}",
                                         baseline_.front().run.device, b.run.device)});
  }

  void leave_out_rules() {
    for (const MetricRule& rule : policy_.rules) {
      MetricResult result = begin(rule, {}, sides_.candidate.counted);
      result.outcome = Outcome::not_judged;
      result.why = "there is no baseline";
      out_.metrics.push_back(std::move(result));
    }
    if (policy_.new_findings)
      out_.warnings.emplace_back("which findings are new is not judged: there is no baseline");
  }

  void judge_rules() {
    for (const MetricRule& rule : policy_.rules)
      if (!rule.metric.is_time()) judge_count_rule(rule);
    judge_time_rules();
  }

  void judge_findings(Severity least) {
    for (MetricResult& result :
         judge_new_findings(least, sides_.baseline.counted, sides_.candidate.counted,
                            [&](const std::string& id) { return policy_.ignores_finding(id); }))
      out_.metrics.push_back(std::move(result));
  }

  MetricResult begin(const MetricRule& rule, const Runs& b, const Runs& c) const {
    return {.name = rule.metric.name,
            .kind = rule.metric.kind,
            .baseline = median_value(rule.metric, b),
            .candidate = median_value(rule.metric, c),
            .tolerance = rule.tolerance};
  }

  // A metric that the policy asks for by name and that cannot be judged is no pass.
  static void cannot_judge(const MetricRule& rule, std::string why, MetricResult& result) {
    result.outcome = rule.required ? Outcome::inconclusive : Outcome::not_judged;
    result.why = std::move(why);
  }

  bool judge_whether_there(const MetricRule& rule, const Runs& b, const Runs& c,
                           MetricResult& result) const {
    if (all_have(rule.metric, b) && all_have(rule.metric, c)) return true;
    if (b.empty() || c.empty()) {
      result.outcome = Outcome::inconclusive;
      result.why =
          fmt::format("no run of the {} can be used for it", b.empty() ? "baseline" : "candidate");
      return false;
    }
    const char* where = !all_have(rule.metric, b) ? "baseline" : "candidate";
    cannot_judge(rule,
                 rule.metric.is_phase()
                     ? fmt::format("the phase is not in every run of the {}", where)
                     : fmt::format("was not recorded in every run of the {}", where),
                 result);
    return false;
  }

  static std::vector<CountedWork> counted(const MetricRule& rule, const Runs& runs) {
    std::vector<CountedWork> out;
    for (const Summary* run : runs) {
      const WorkCount& count = *count_named(rule.metric.name, *run);
      out.push_back({count.total, run->partition.steps_counted, count.least_a_step,
                     count.most_a_step, count.p10_a_step, count.p90_a_step, count.in_recording,
                     run->steps.list.size()});
    }
    return out;
  }

  void judge_count_rule(const MetricRule& rule) {
    const Runs& b = sides_.baseline.counted;
    const Runs& c = sides_.candidate.counted;
    MetricResult result = begin(rule, b, c);
    if (judge_whether_there(rule, b, c, result)) {
      if (other_source_ && depends_on_recorder(rule.metric.name)) {
        cannot_judge(rule, "the sides were recorded by different tools, which count it differently",
                     result);
      } else {
        judge_count(counted(rule, b), counted(rule, c), rule.tolerance, result);
      }
    }
    out_.metrics.push_back(std::move(result));
  }

  void judge_time_rules() {
    const Runs& b = sides_.baseline.timed;
    const Runs& c = sides_.candidate.timed;
    std::vector<TimeTest> tests;
    std::vector<MetricResult> judged;
    for (const MetricRule& rule : policy_.rules) {
      if (!rule.metric.is_time()) continue;
      MetricResult result = begin(rule, b.empty() ? sides_.baseline.counted : b,
                                  c.empty() ? sides_.candidate.counted : c);
      if (!judge_whether_there(rule, b, c, result)) {
        out_.metrics.push_back(std::move(result));
        continue;
      }
      tests.push_back({{values(rule.metric, b), values(rule.metric, c), policy_.paired},
                       clocks(b),
                       clocks(c),
                       rule.tolerance});
      judged.push_back(std::move(result));
    }
    const std::vector<TimeOutcome> outcomes = judge_times(tests, policy_.level);
    for (std::size_t i = 0; i < judged.size(); ++i) add_time(outcomes[i], std::move(judged[i]));
  }

  void add_time(const TimeOutcome& outcome, MetricResult result) {
    result.outcome = outcome.outcome;
    result.why = outcome.why;
    result.ratio = outcome.ratio;
    result.ratio_low = outcome.ratio_low;
    result.ratio_high = outcome.ratio_high;
    result.further_runs = outcome.further_runs;
    if (other_unit_) {
      result.outcome = Outcome::inconclusive;
      result.why =
          "the runs used several devices of one model, which differ by several per cent among "
          "themselves: run both sides on one";
      result.further_runs.reset();
    }
    out_.metrics.push_back(std::move(result));
  }

  void add_causes() {
    if (!out_.comparable || baseline_.empty() || out_.count(Outcome::regression) == 0) return;
    const Comparison difference = compare_runs(baseline_, candidate_);
    for (MetricResult& result : out_.metrics) {
      if (result.outcome != Outcome::regression || !result.causes.empty()) continue;
      result.causes = causes_of({result.name, result.kind}, difference);
    }
  }

  void conclude() {
    std::stable_sort(out_.metrics.begin(), out_.metrics.end(),
                     [](const MetricResult& x, const MetricResult& y) {
                       return order_of(x.outcome) < order_of(y.outcome);
                     });
    for (MetricResult& result : out_.metrics) {
      if (result.further_runs)
        out_.further_runs = std::max(out_.further_runs.value_or(0), *result.further_runs);
      if (candidate_.empty()) continue;
      for (MetricCause& cause : result.causes) cause.folder = folder_of(candidate_.front().run);
    }
    if (out_.count(Outcome::regression) > 0) {
      out_.outcome = Outcome::regression;
    } else if (!out_.comparable || out_.count(Outcome::inconclusive) > 0 ||
               out_.count(Outcome::pass) == 0) {
      out_.outcome = Outcome::inconclusive;
    } else {
      out_.outcome = Outcome::pass;
    }
  }

  static int order_of(Outcome outcome) {
    if (outcome == Outcome::regression) return 0;
    if (outcome == Outcome::inconclusive) return 1;
    return outcome == Outcome::pass ? 2 : 3;
  }

  const Policy& policy_;
  const std::vector<Summary>& baseline_;
  const std::vector<Summary>& candidate_;
  UsableSides sides_;
  bool other_source_ = false;
  bool other_unit_ = false;
  std::vector<PairWarnings> warnings_;
  GateVerdict out_;
};

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "pass";
    case Outcome::regression:
      return "regression";
    case Outcome::inconclusive:
      return "inconclusive";
    case Outcome::not_judged:
      break;
  }
  return "not_judged";
}

std::size_t GateVerdict::count(Outcome outcome_wanted) const {
  return static_cast<std::size_t>(
      std::count_if(metrics.begin(), metrics.end(),
                    [&](const MetricResult& metric) { return metric.outcome == outcome_wanted; }));
}

GateVerdict judge(const Policy& policy, const std::vector<Summary>& baseline,
                  const std::vector<Summary>& candidate) {
  return Gate(policy, baseline, candidate).run();
}

}  // namespace stepscope
