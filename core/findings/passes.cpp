// SPDX-License-Identifier: Apache-2.0
#include "core/findings/passes.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "core/steps/nest/loop_nest.hpp"

namespace stepscope::rules {
namespace {

// One stretch for each time that the program entered the loop.
Passes passes_of(const NestLoop& loop, std::span<const std::int64_t> begins, std::size_t times) {
  const auto first_from = [&](std::int64_t time) {
    return static_cast<std::size_t>(std::ranges::lower_bound(begins, time) - begins.begin());
  };
  Passes out{.loop = loop.at};
  for (std::size_t i = 0; i < loop.iterations.size();) {
    PassStretch stretch;
    const std::uint32_t visit = loop.iterations[i].visit;
    for (; i < loop.iterations.size() && loop.iterations[i].visit == visit; ++i) {
      const Interval time = loop.iterations[i].time;
      const std::size_t begin = first_from(time.begin);
      stretch.end = std::max(stretch.end, first_from(time.end));
      if (!stretch.begins.empty() && stretch.begins.back() == begin) continue;
      stretch.begins.push_back(begin);
    }
    while (!stretch.begins.empty() && stretch.begins.back() >= stretch.end)
      stretch.begins.pop_back();
    if (stretch.times() >= times) out.stretches.push_back(std::move(stretch));
  }
  return out;
}

bool communicates(const StepOperations& operations, const PassStretch& stretch) {
  const auto all = std::span(operations.outermost);
  return std::ranges::any_of(all.subspan(stretch.begins.front(), stretch.items()),
                             [](const PassOperation& one) { return one.communicates; });
}

}  // namespace

std::vector<Passes> loops_in(const JudgedRun& run, Interval step,
                             std::span<const std::int64_t> begins, std::size_t times) {
  std::vector<Passes> out;
  const Activity activity{.trace = &run.trace, .host = step};
  for (const NestLoop& loop : loop_nest_of(activity, run.steps.thread).loops) {
    Passes passes = passes_of(loop, begins, times);
    if (!passes.stretches.empty()) out.push_back(std::move(passes));
  }
  return out;
}

std::vector<PassesInStep> loop_by_step(const JudgedRun& run, SiteId loop) {
  const auto& list = run.steps.list;
  const Activity activity{.trace = &run.trace,
                          .host = {list.front().window.begin, list.back().window.end}};
  std::vector<PassesInStep> out(list.size());
  for (const NestLoop& one : loop_nest_of(activity, run.steps.thread).loops) {
    if (one.at != loop) continue;
    std::size_t row = 0;
    for (const NestIteration& iteration : one.iterations) {
      if (!run.counts(iteration.time.begin)) continue;
      while (row < out.size() && list[row].window.end <= iteration.time.begin) ++row;
      if (row == out.size()) break;
      ++out[row].times;
      out[row].ns += iteration.time.length();
    }
  }
  return out;
}

std::vector<PassesInStep> repeats_by_step(const JudgedRun& run, const std::vector<SiteId>& lines,
                                          std::uint32_t row, std::uint64_t times,
                                          std::size_t least) {
  std::vector<PassesInStep> out(run.steps.list.size());
  for (const std::uint32_t step : run.summary.counted) {
    for (const PassOperation& one : operations_in(run, run.steps.list[step].window).outermost) {
      if (!std::ranges::binary_search(lines, one.site)) continue;
      ++out[step].times;
      out[step].ns += one.time.length();
    }
  }
  const std::uint64_t there = std::max<std::uint64_t>(1, out[row].times);
  for (PassesInStep& one : out) {
    one.times = (one.times * times + there / 2) / there;
    if (one.times < least) one = {};
  }
  return out;
}

StepOperations operations_in(const JudgedRun& run, Interval step) {
  const HostRanges& h = run.trace.host_ranges();
  const Rows rows = run.trace.ranges_of(run.steps.thread);
  StepOperations out;
  std::int64_t until = step.begin;
  const auto first =
      std::lower_bound(h.begin.begin() + rows.begin, h.begin.begin() + rows.end, step.begin);
  for (auto r = static_cast<RangeId>(first - h.begin.begin());
       r < rows.end && h.begin[r] < step.end; ++r) {
    const std::string_view name = run.trace.text(h.name[r]);
    if (name.ends_with("AccumulateGrad")) out.sums.push_back(h.begin[r]);
    if (h.kind[r] != HostKind::op || h.begin[r] < until) continue;
    until = h.end[r];
    const bool communicates = name.starts_with("c10d::");
    const bool works = communicates || name.starts_with("aten::");
    if (!works) continue;
    if (run.in_optimizer(h.begin[r])) {
      out.updates.push_back(h.begin[r]);
    } else if (run.sites[r] != kNone && !run.makes_input(h.begin[r])) {
      out.outermost.push_back({h.name[r], run.sites[r], {h.begin[r], h.end[r]}, communicates});
    }
  }
  return out;
}

std::vector<Passes> passes_in(const JudgedRun& run, Interval step, const StepOperations& operations,
                              std::size_t times) {
  std::vector<std::int64_t> begins;
  for (const PassOperation& one : operations.outermost) begins.push_back(one.time.begin);
  std::vector<Passes> out = loops_in(run, step, begins, times);
  for (Passes& loop : out)
    std::erase_if(loop.stretches,
                  [&](const PassStretch& one) { return communicates(operations, one); });
  std::erase_if(out, [](const Passes& loop) { return loop.stretches.empty(); });
  Passes repeats = repeats_in(std::span<const PassOperation>(operations.outermost), times);
  if (!repeats.stretches.empty()) out.push_back(std::move(repeats));
  return out;
}

}  // namespace stepscope::rules
