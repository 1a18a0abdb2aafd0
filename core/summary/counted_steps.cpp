// SPDX-License-Identifier: Apache-2.0
// Which steps count: steady ones whose end was recorded. Fewer than two is less than a user
// expects, so what is counted instead is said: one steady step, else all complete ones, else
// whatever there is.
#include <algorithm>
#include <functional>

#include "core/summary/parts.hpp"

namespace stepscope::summary_parts {
namespace {

std::vector<std::uint32_t> rows_where(const Steps& steps,
                                      const std::function<bool(const Step&)>& test) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < steps.list.size(); ++i) {
    if (!steps.list[i].window.empty() && test(steps.list[i])) rows.push_back(i);
  }
  return rows;
}

std::vector<std::uint32_t> choose_rows(const Steps& steps, std::string& why) {
  auto rows = rows_where(steps, [](const Step& s) { return s.steady && s.wall_known; });
  if (rows.size() == 1) why = "only one steady step: its time is known, its spread is not";
  if (!rows.empty()) return rows;
  why = "no steady step: warm-up is counted in";
  rows = rows_where(steps, [](const Step& s) { return s.wall_known; });
  if (!rows.empty()) return rows;
  why = "no step's end was recorded: the times are lower bounds";
  return rows_where(steps, [](const Step&) { return true; });
}

}  // namespace

bool Counting::covers(std::int64_t t) const {
  const auto after =
      std::upper_bound(windows.begin(), windows.end(), t,
                       [](std::int64_t time, const Interval& i) { return time < i.end; });
  return after != windows.end() && after->begin <= t;
}

Counting choose_steps(const Steps& steps) {
  Counting out;
  out.rows = choose_rows(steps, out.why);
  out.counts.assign(steps.list.size(), false);
  std::vector<Interval> windows;
  for (const std::uint32_t row : out.rows) {
    out.counts[row] = true;
    windows.push_back(steps.list[row].window);
  }
  out.windows = unite(std::move(windows));
  if (steps.found_by == FoundBy::whole_trace)
    out.why = "no steps were found: the whole trace is one window";
  return out;
}

Outliers sum_outliers(const Steps& steps, const Counting& counting) {
  Outliers out;
  std::int64_t counted_ns = 0;
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    const Step& step = steps.list[i];
    if (counting.counts[i]) counted_ns += step.wall_ns();
    if (counting.counts[i] || step.outlier_ratio == 0) continue;
    out.lowest_ratio =
        out.steps == 0 ? step.outlier_ratio : std::min(out.lowest_ratio, step.outlier_ratio);
    out.highest_ratio = std::max(out.highest_ratio, step.outlier_ratio);
    out.wall_ns_total += step.wall_ns();
    out.steps += 1;
  }
  if (out.wall_ns_total == 0) return out;
  const auto all_ns = static_cast<double>(counted_ns + out.wall_ns_total);
  out.share = static_cast<double>(out.wall_ns_total) / all_ns;
  out.wall_ns_per_step_all = all_ns / static_cast<double>(counting.rows.size() + out.steps);
  return out;
}

}  // namespace stepscope::summary_parts
