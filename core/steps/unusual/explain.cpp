// SPDX-License-Identifier: Apache-2.0
#include "core/steps/unusual/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/steps/compilation.hpp"
#include "core/steps/finders/named_range.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kMoreWork = 1.05;
constexpr std::int64_t kPartOfExcess = 4;

Interval host_span(const Steps& steps, std::size_t k) {
  const std::int64_t begin = k == 0 ? steps.list[0].host.begin : steps.list[k - 1].host.end;
  return {begin, steps.list[k].host.end};
}

// kNone-like value (list.size()) behind the last step or before the first.
std::size_t step_at(const Steps& steps, std::int64_t time) {
  if (time < steps.list.front().host.begin) return steps.list.size();
  const auto at =
      std::upper_bound(steps.list.begin(), steps.list.end(), time,
                       [](std::int64_t t, const Step& step) { return t < step.host.end; });
  return static_cast<std::size_t>(at - steps.list.begin());
}

}  // namespace

Explanations::Explanations(const Activity& activity, const Steps& steps) : trace_(*activity.trace) {
  for (std::size_t k = 0; k < steps.list.size(); ++k) {
    work_.push_back(static_cast<std::int64_t>(activity.work_in(host_span(steps, k)).size()));
  }
  usual_work_ = median(work_);
  count_compilation(activity, steps);
  collect_rare_ranges(activity, steps);
}

void Explanations::count_compilation(const Activity& activity, const Steps& steps) {
  compiles_.assign(steps.list.size(), 0);
  std::vector<Interval> times;
  const HostRanges& h = trace_.host_ranges();
  const auto add = [&](RangeId range) {
    const std::size_t step = step_at(steps, h.begin[range]);
    times.push_back({h.begin[range], h.end[range]});
    if (step < compiles_.size()) ++compiles_[step];
  };
  for (const RangeId range : compilation_ranges(trace_, activity.process)) add(range);
  usual_compiles_ = median(compiles_);
  const IntervalSet compiling = unite(std::move(times));
  for (std::size_t k = 0; k < steps.list.size(); ++k)
    compile_ns_.push_back(total_length(clip(compiling, host_span(steps, k))));
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
    const std::size_t step = step_at(steps, h.begin[range]);
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

bool Explanations::compiles(std::size_t step) const {
  return compiles_[step] > usual_compiles_;
}

}  // namespace stepscope
