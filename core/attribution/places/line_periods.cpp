// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/line_periods.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace stepscope {
namespace {

constexpr std::size_t kFewestSampled = 3;  // steps with a line that samples alone tell
constexpr double kLeastChance = 0.01;
constexpr double kLeastSeen = 0.5;  // share of its steps in which samples see such a line

using StepRows = std::vector<std::uint32_t>;  // rising

struct LineRuns {
  StepRows steps;
  bool has_record = false;
};

std::map<Line, LineRuns> runs_of(const std::vector<SeenLine>& seen) {
  std::map<Line, LineRuns> out;
  for (const SeenLine& one : seen) {
    LineRuns& runs = out[one.line];
    if (runs.steps.empty() || runs.steps.back() != one.step) runs.steps.push_back(one.step);
    runs.has_record = runs.has_record || one.is_record;
  }
  return out;
}

// Behind the last whole period the loop may do it once more, as its last step.
std::uint32_t common_distance(const StepRows& at, std::size_t steps) {
  std::uint32_t n = 0;
  for (std::size_t i = 1; i < at.size(); ++i) {
    const bool is_last = i > 1 && i + 1 == at.size() && at[i] + 1 == steps;
    if (!is_last) n = std::gcd(n, at[i] - at[i - 1]);
  }
  return n;
}

// Returns the period of a line that runs in every n-th of so many steps, from the first n on to the
// last n; the last step may lack it: what begins each iteration of a loop around does not follow the
// last of them. Records tell each time that it ran; samples may miss some.
std::optional<Period> period_of(const LineRuns& runs, std::size_t steps) {
  const StepRows& at = runs.steps;
  if (at.size() < (runs.has_record ? 2U : kFewestSampled)) return std::nullopt;
  const std::uint32_t n = common_distance(at, steps);
  if (n < 2) return std::nullopt;
  const std::uint32_t first = at.front() <= n ? at.front() : at.front() % n;
  const double times = std::ceil(static_cast<double>(steps - 1 - first) / n);
  const double least = runs.has_record ? 1 : kLeastSeen;
  if (static_cast<double>(at.size()) < least * times) return std::nullopt;
  return Period{n, first};
}

using Runs = std::map<Line, LineRuns>;
using Periods = std::map<Line, Period>;

Periods periods_of(const Runs& runs, std::size_t steps) {
  Periods out;
  for (const auto& [line, of_it] : runs)
    if (const auto period = period_of(of_it, steps)) out[line] = *period;
  return out;
}

bool holds(const Period& base, const Period& rarer) {
  return rarer.n % base.n == 0 && rarer.first % base.n == base.first % base.n;
}

bool is_seen_with(const Period& base, const StepRows& at) {
  return std::pow(base.n, -static_cast<double>(at.size())) <= kLeastChance &&
         std::ranges::all_of(at, [&](auto step) { return step % base.n == base.first % base.n; });
}

// Whether samples that miss a line at random may show it `seen` times, and only in every
// `times`-th of the steps that run it.
bool may_be_missed(std::uint32_t times, std::size_t seen) {
  return times > 1 && std::pow(times, 1.0 - static_cast<double>(seen)) > kLeastChance;
}

// A line that samples alone show is taken to run as often as another whose steps hold all of its own,
// unless samples would hardly have missed it in all the rest by chance.
void join_missed(const Runs& runs, const std::vector<Period>& periods, Periods& out) {
  for (auto& [line, period] : out) {
    const LineRuns& of_it = runs.at(line);
    if (of_it.has_record) continue;
    for (const Period& base : periods) {
      if (!holds(base, period) || !may_be_missed(period.n / base.n, of_it.steps.size())) continue;
      period = base;
      break;
    }
  }
}

// A function that samples see too seldom to tell its period runs as often as others do, if chance
// would hardly show it in their steps alone.
void join_seldom(const Runs& functions, const std::vector<Period>& periods, Periods& out) {
  for (const auto& [function, of_it] : functions) {
    if (of_it.has_record || out.contains(function)) continue;
    for (const Period& base : periods)
      if (is_seen_with(base, of_it.steps)) out.try_emplace(function, base);
  }
}

Runs whole_functions(std::vector<SeenLine> seen) {
  for (SeenLine& one : seen) one.line.number = 0;
  return runs_of(seen);
}

}  // namespace

LinePeriods::LinePeriods(const std::vector<SeenLine>& seen, std::size_t steps) {
  const Runs lines = runs_of(seen), functions = whole_functions(seen);
  lines_ = periods_of(lines, steps);
  functions_ = periods_of(functions, steps);
  const std::vector<Period> periods = known();
  join_missed(lines, periods, lines_);
  join_missed(functions, periods, functions_);
  join_seldom(functions, periods, functions_);
}

std::vector<Period> LinePeriods::known() const {
  std::vector<Period> out;
  for (const auto* known : {&lines_, &functions_})
    for (const auto& [line, period] : *known) out.push_back(period);
  std::ranges::sort(out, {}, &Period::n);
  return out;
}

const Period* LinePeriods::at(Line line) const {
  if (const auto at = lines_.find(line); at != lines_.end()) return &at->second;
  line.number = 0;
  const auto whole = functions_.find(line);
  return whole == functions_.end() ? nullptr : &whole->second;
}

SilenceOwners::SilenceOwners(const std::vector<SeenLine>& seen, const LinePeriods& periods) {
  const auto is_record = [](const SeenLine& one) { return one.is_record; };
  auto record = std::ranges::find_if(seen, is_record);
  while (record != seen.end()) {
    const auto next = std::find_if(record + 1, seen.end(), is_record);
    const Period* period = periods.at(record->line);
    if (period != nullptr && next != seen.end() && next != record + 1) {
      const Period* sampled = periods.at((next - 1)->line);
      const bool goes_on = sampled != nullptr && *sampled == *period;
      more_[{record->line, next->line}] += goes_on ? 1 : -1;
    }
    record = next;
  }
}

bool SilenceOwners::go_on_with(const Line& first, const Line& next) const {
  const auto known = more_.find({first, next});
  return known != more_.end() && known->second > 0;
}

}  // namespace stepscope
