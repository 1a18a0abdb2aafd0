// SPDX-License-Identifier: Apache-2.0
#include "core/steps/unusual/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/steps/compilation.hpp"
#include "core/steps/finders/named_range.hpp"
#include "core/steps/rows.hpp"
#include "core/steps/unusual/long_rule.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kMoreWork = 1.05;
constexpr std::int64_t kPartOfExcess = 4;

using Places = std::vector<std::size_t>;

// Returns the greatest common distance of at least three places, if it is two or more and three
// quarters of the places at it are taken; else 0.
std::size_t even_distance(const Places& places) {
  if (places.size() < 3) return 0;
  std::size_t step = 0;
  for (std::size_t i = 1; i < places.size(); ++i) step = std::gcd(step, places[i] - places[i - 1]);
  const std::size_t expected =
      (places.back() - places.front()) / std::max<std::size_t>(1, step) + 1;
  return step >= 2 && 4 * places.size() >= 3 * expected ? step : 0;
}

std::string note(const Steps& steps, const Places& places, const std::string& why) {
  std::vector<std::int64_t> ids;
  for (const std::size_t place : places) ids.push_back(steps.list[place].id);
  const bool are_many = ids.size() > 5;
  if (are_many) ids.resize(5);
  return fmt::format("{} long {}: {} (step {}{})", places.size(),
                     places.size() == 1 ? "step" : "steps", why, fmt::join(ids, ", "),
                     are_many ? ", ..." : "");
}

}  // namespace

Explanations::Explanations(const Activity& activity, const Steps& steps) : trace_(*activity.trace) {
  const IntervalSet compiling = compilation_times(trace_, activity.process);
  for (std::size_t k = 0; k < steps.list.size(); ++k) {
    work_.push_back(std::ssize(activity.work_in(stretch_of(steps, k))));
    compile_ns_.push_back(total_length(clip(compiling, stretch_of(steps, k))));
  }
  usual_work_ = median(work_);
  usual_compile_ns_ = median(compile_ns_);
  collect_rare_ranges(activity, steps);
}

// Time in the loop thread's annotations by name and step; names in at least half of the steps are
// usual. Marks that enclose a whole step are numbered and so fold into one usual name.
void Explanations::collect_rare_ranges(const Activity& activity, const Steps& steps) {
  const HostRanges& h = trace_.host_ranges();
  std::map<std::string, StringId> stems;
  std::map<StringId, StringId> folded;
  std::map<StringId, std::map<std::size_t, std::int64_t>> time;
  for (RangeId range : activity.annotations) {
    if (h.thread[range] != steps.thread) continue;
    const std::size_t step = row_at(steps, h.begin[range]);
    if (step >= steps.list.size()) continue;
    const auto [at, is_new] = folded.try_emplace(h.name[range], h.name[range]);
    if (is_new)
      at->second =
          stems.try_emplace(split_number(activity.name(range)).stem, at->first).first->second;
    time[at->second][step] += h.end[range] - h.begin[range];
  }
  for (const auto& [name, by_step] : time) {
    if (2 * by_step.size() > steps.list.size()) continue;
    for (const auto& [step, ns] : by_step) rare_.push_back({name, step, ns});
  }
  std::stable_sort(rare_.begin(), rare_.end(),
                   [](const Extra& a, const Extra& b) { return a.step < b.step; });
}

std::string Explanations::rare_range(std::size_t step, std::int64_t excess_ns) const {
  auto extra = std::lower_bound(rare_.begin(), rare_.end(), step,
                                [](const Extra& a, std::size_t k) { return a.step < k; });
  for (; extra != rare_.end() && extra->step == step; ++extra) {
    if (extra->time_ns * kPartOfExcess >= excess_ns)
      return fmt::format("'{}' runs", trace_.text(extra->name));
  }
  return "";
}

std::string Explanations::of(std::size_t step, std::int64_t excess_ns) const {
  std::string range = rare_range(step, excess_ns);
  if (!range.empty()) return range;
  if (static_cast<double>(work_[step]) > kMoreWork * static_cast<double>(usual_work_))
    return "more work than usual";
  return compiles(step) ? "modules are loaded or compiled" : "";
}

void note_long_steps(const Explanations& explanations, Steps& steps) {
  const LongRule rule = long_rule(walls_from(steps, steps.warm_up.steps), steps.begin_error_ns);
  Places unexplained;
  std::map<std::string, Places> explained;
  for (std::size_t k = steps.warm_up.steps; k < steps.list.size(); ++k) {
    const Step& step = steps.list[k];
    if (!step.wall_known || !rule.is_long(step.wall_ns())) continue;
    const std::string why = explanations.of(k, step.wall_ns() - rule.median_ns);
    (why.empty() ? unexplained : explained[why]).push_back(k);
  }
  if (even_distance(unexplained) > 0)
    explained["they return at even distances"] = std::exchange(unexplained, {});
  for (const auto& [why, places] : explained) steps.notes.push_back(note(steps, places, why));
}

}  // namespace stepscope
