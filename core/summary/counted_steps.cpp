// SPDX-License-Identifier: Apache-2.0
// Which steps count: all after warm-up that were recorded whole, however long they took. Fewer than
// two is less than a user expects, so what is counted instead is said: one steady step, else all
// complete ones, else whatever there is. A step that was over before the work of the one before it
// takes no time of its own; between others it counts, else the mean would be of fewer steps than
// ran.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "core/summary/parts.hpp"

namespace stepscope::summary_parts {
namespace {

constexpr const char* kLowerBounds = "no step's end was recorded: the times are lower bounds";

std::vector<std::uint32_t> rows_where(const Steps& steps,
                                      const std::function<bool(const Step&)>& test) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < steps.list.size(); ++i) {
    if (test(steps.list[i])) rows.push_back(i);
  }
  const auto lasts = [&steps](std::uint32_t row) { return !steps.list[row].window.empty(); };
  rows.erase(rows.begin(), std::find_if(rows.begin(), rows.end(), lasts));
  rows.erase(std::find_if(rows.rbegin(), rows.rend(), lasts).base(), rows.end());
  return rows;
}

std::vector<std::uint32_t> choose_rows(const Steps& steps, std::string& why) {
  auto rows = rows_where(steps, [](const Step& s) { return s.steady && s.wall_known; });
  if (rows.size() == 1) why = "only one steady step: its time is known, its spread is not";
  if (!rows.empty()) return rows;
  why = "no steady step: warm-up is counted in";
  rows = rows_where(steps, [](const Step& s) { return s.wall_known; });
  if (!rows.empty()) return rows;
  rows = rows_where(steps, [](const Step&) { return true; });
  why = rows.empty() ? "no step has a length: there is no time to count" : kLowerBounds;
  return rows;
}

}  // namespace

bool Counting::covers(std::int64_t t) const {
  const auto after =
      std::upper_bound(windows.begin(), windows.end(), t,
                       [](std::int64_t time, const Interval& i) { return time < i.end; });
  return after != windows.end() && after->begin <= t;
}

std::int64_t CountedTime::of(Interval time) {
  while (window_ != end_ && window_->end <= time.begin) ++window_;
  std::int64_t ns = 0;
  for (auto window = window_; window != end_ && window->begin < time.end; ++window)
    ns += intersect(*window, time).length();
  return ns;
}

Counting counting_of(const Steps& steps, std::vector<std::uint32_t> rows) {
  Counting out;
  out.rows = std::move(rows);
  out.counts.assign(steps.list.size(), false);
  std::vector<Interval> windows;
  for (const std::uint32_t row : out.rows) {
    out.counts[row] = true;
    windows.push_back(steps.list[row].window);
  }
  out.windows = unite(std::move(windows));
  return out;
}

Counting choose_steps(const Steps& steps) {
  std::string why;
  Counting out = counting_of(steps, choose_rows(steps, why));
  if (steps.found_by == FoundBy::whole_trace && !out.rows.empty()) {
    out.why = "no steps were found: the whole trace is one window";
    if (why == kLowerBounds) out.why += "; its end was not recorded: the times are lower bounds";
  } else {
    out.why = std::move(why);
  }
  return out;
}

void keep_only(const Steps& steps, const StepRange& range, Counting& counting) {
  const std::size_t all = counting.rows.size();
  std::erase_if(counting.rows, [&](std::uint32_t row) {
    return steps.list[row].id < range.first || steps.list[row].id > range.last;
  });
  counting = counting_of(steps, std::move(counting.rows));
  counting.why = fmt::format("TRIMMED to {} of {} steps, {} to {} (--steps)", counting.rows.size(),
                             all, range.first, range.last);
}

void leave_out(const Steps& steps, LongSteps& long_steps, Counting& counting) {
  if (long_steps.steps == 0) return;
  std::vector<std::uint32_t> kept;
  std::set_difference(counting.rows.begin(), counting.rows.end(), long_steps.rows.begin(),
                      long_steps.rows.end(), std::back_inserter(kept));
  std::string why = std::move(counting.why);
  counting = counting_of(steps, std::move(kept));
  counting.why = std::move(why);
  long_steps.left_out = true;
}

}  // namespace stepscope::summary_parts
