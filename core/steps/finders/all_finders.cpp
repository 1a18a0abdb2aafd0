// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "core/steps/finders/data_loader.hpp"
#include "core/steps/finders/executable.hpp"
#include "core/steps/finders/loop.hpp"
#include "core/steps/finders/named_range.hpp"
#include "core/steps/finders/optimizer.hpp"
#include "core/steps/finders/profiler_step.hpp"
#include "core/steps/finders/sampled/counted_loops.hpp"
#include "core/steps/finders/sampled/sampled_lines.hpp"
#include "core/steps/finders/whole_trace.hpp"
#include "core/steps/nest/nest_steps.hpp"
#include "core/steps/periodicity/periodicity.hpp"

namespace stepscope {
namespace {

constexpr double kGoodEnough = 0.5;

}  // namespace

Interval Loop::time() const {
  return steps.empty() ? Interval{} : Interval{steps.front().time.begin, steps.back().time.end};
}

std::span<const Finder> all_finders() {
  static constexpr std::array<Finder, 10> kFinders = {
      find_profiler_steps,  find_named_ranges,      find_nest_steps, find_optimizer_steps,
      find_executable_runs, find_data_loader_steps, find_period,     find_counted_loops,
      find_sampled_lines,   find_whole_trace};
  return kFinders;
}

Loop find_loop(const Activity& activity) {
  Loop best;
  std::string left_out;
  for (const Finder find : all_finders()) {
    Loop loop = find(activity);
    if (!loop.divides) left_out = loop.how;
    if (loop.found() && loop.confidence > best.confidence) best = std::move(loop);
    if (best.steps.size() >= 2 && best.confidence >= kGoodEnough) break;
  }
  if (!left_out.empty() && best.divides)
    best.notes.push_back(
        left_out +
        " are left out: one of them holds nearly all of the work, so they divide no loop");
  return best;
}

}  // namespace stepscope
