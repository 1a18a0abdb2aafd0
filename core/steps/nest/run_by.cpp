// SPDX-License-Identifier: Apache-2.0
// Finds what runs work that no loop was chosen for: a loop that was noted, one iteration of it, or
// nothing.
#include <set>

#include "core/steps/finders/finders.hpp"
#include "core/steps/nest/loop_nest.hpp"
#include "core/steps/shares.hpp"

namespace stepscope {
namespace {

// The loops of all threads of a process.
std::vector<NestLoop> loops_of_process(const Activity& activity) {
  const std::vector<ThreadId>& rows = activity.trace->data().loop_positions.thread;
  std::vector<NestLoop> loops;
  for (const ThreadId thread : std::set<ThreadId>(rows.begin(), rows.end())) {
    if (activity.trace->data().threads[thread].process != activity.process) continue;
    const LoopNest nest = loop_nest_of(activity, thread);
    loops.insert(loops.end(), nest.loops.begin(), nest.loops.end());
  }
  return loops;
}

}  // namespace

RunBy run_by(const Activity& activity, const std::vector<std::int64_t>& times) {
  if (!activity.trace->data().processes[activity.process].facts.contains("loop_positions"))
    return RunBy::unknown;
  const std::vector<NestLoop> loops = loops_of_process(activity);
  std::size_t inside = 0, around = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    bool is_inside = false, comes_round = false;
    for (const NestLoop& loop : loops) {
      const std::uint32_t now = loop.iteration_at(times[i]);
      const std::uint32_t before = i == 0 ? kNone : loop.iteration_at(times[i - 1]);
      is_inside = is_inside || now != kNone;
      comes_round = comes_round || (now != kNone && before != kNone && now != before);
    }
    inside += is_inside ? 1U : 0U;
    around += comes_round ? 1U : 0U;
  }
  if (!is_at_least(1 - kNearlyAll, inside, times.size())) return RunBy::no_loop;
  return around == 0 ? RunBy::one_iteration : RunBy::a_loop;
}

}  // namespace stepscope
