// SPDX-License-Identifier: Apache-2.0
// Whether a candidate keeps a budget: by what was measured, with no baseline. A pass where every
// run keeps it, a regression where every run breaks it; runs on both sides of it, or a run that
// lacks the metric, are inconclusive. A count's budget is broken by any run that breaks it.
// Internal to core/gate.
#include "core/gate/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

std::string missing(const Budget& budget) {
  return budget.metric.is_phase() ? "the phase is not in every run" : "was not recorded";
}

std::string share_text(const Budget& budget, std::vector<double> shares) {
  if (!budget.share) return "";
  return fmt::format("{:.1f} % of the step; ", 100 * median_of(std::move(shares)));
}

}  // namespace

MetricResult judge_budget(const Budget& budget, const std::vector<const Summary*>& runs) {
  MetricResult out{.name = budget.metric.name,
                   .kind = budget.metric.kind,
                   .outcome = Outcome::inconclusive,
                   .budget = budget.text};
  std::vector<double> values, shares;
  std::size_t broken = 0;
  for (const Summary* run : runs) {
    const std::optional<double> value = value_of(budget.metric, *run);
    if (!value) continue;
    const double step = budget.share ? run->partition.wall_ns_per_step() : 1;
    if (*value > budget.limit * step) ++broken;
    values.push_back(*value);
    shares.push_back(*value / step);
  }
  if (!values.empty()) out.candidate = median_of(values);
  if (runs.empty() || values.size() != runs.size()) {
    out.why = runs.empty() ? "no run of the candidate can be used" : missing(budget);
  } else if (broken == 0) {
    out.outcome = Outcome::pass;
    out.why = share_text(budget, shares) + "every run keeps the budget";
  } else if (broken == runs.size() || !budget.metric.is_time()) {
    out.outcome = Outcome::regression;
    out.why = fmt::format("{}{} of {} run{} break{} the budget", share_text(budget, shares), broken,
                          runs.size(), runs.size() == 1 ? "" : "s", broken == 1 ? "s" : "");
  } else {
    out.why = fmt::format("{} of {} runs break the budget", broken, runs.size());
  }
  return out;
}

}  // namespace stepscope
