// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/steps/empty_fetch.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/finders/turns.hpp"
#include "core/steps/tail.hpp"

namespace stepscope {
namespace {

constexpr double kBackToBack = 0.05;  // share of the work usual between two scopes
constexpr double kEachOwn = 0.9;      // share of the fetches

// Notes which turns fetch a batch of their own. Where some fetch several (accumulation, an
// evaluation) it tells no turn from another.
void note_fetches(const Activity& activity, ThreadId thread, std::vector<Turn>& turns) {
  std::size_t fetches = 0;
  for (const RangeId range : activity.annotations) {
    if (activity.thread(range) != thread || !is_loader_fetch(activity.name(range))) continue;
    const std::int64_t time = activity.time(range).begin;
    const auto turn =
        std::upper_bound(turns.begin(), turns.end(), time,
                         [](std::int64_t t, const Turn& one) { return t < one.stretch.end; });
    if (turn == turns.end()) continue;
    turn->fetches = true;
    ++fetches;
  }
  const auto with = static_cast<double>(
      std::count_if(turns.begin(), turns.end(), [](const Turn& turn) { return turn.fetches; }));
  if (with >= kEachOwn * static_cast<double>(fetches)) return;
  for (Turn& turn : turns) turn.fetches = false;
}

std::vector<Turn> turns_of(const Activity& activity, const MarkedThread& marks) {
  std::vector<Turn> turns;
  std::int64_t begin =
      std::max(extent_of(*activity.trace, marks.thread).begin, activity.host.begin);
  for (const RangeId range : marks.ranges) {
    const Interval scope = activity.time(range);
    turns.push_back({activity.name(range),
                     activity.trace->host_ranges().site[range],
                     scope,
                     {begin, scope.end}});
    begin = scope.end;
  }
  note_fetches(activity, marks.thread, turns);
  return turns;
}

double upper_quartile(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 3 / 4);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void fold_into(Turn& turn, const Turn& next) {
  turn.scope.end = next.scope.end;
  turn.stretch.end = next.stretch.end;
}

std::vector<Turn> fold_back_to_back(const Activity& activity, const std::vector<Turn>& turns) {
  if (turns.size() < 2) return turns;
  std::vector<double> between;
  for (std::size_t i = 1; i < turns.size(); ++i)
    between.push_back(activity.share_in(Interval{turns[i - 1].scope.end, turns[i].scope.begin}));
  const double usual = upper_quartile(between);
  std::vector<Turn> out{turns.front()};
  for (std::size_t i = 1; i < turns.size(); ++i) {
    if (between[i - 1] < kBackToBack * usual)
      fold_into(out.back(), turns[i]);
    else
      out.push_back(turns[i]);
  }
  return out;
}

// A last iteration that is not complete is left out: its remaining optimizers lie behind the
// trace's end.
std::vector<Turn> fold_cycles(const std::vector<Turn>& turns, std::size_t cycle) {
  std::vector<Turn> out;
  for (std::size_t i = 0; i + cycle <= turns.size(); i += cycle) {
    out.push_back(turns[i]);
    for (std::size_t j = i + 1; j < i + cycle; ++j) fold_into(out.back(), turns[j]);
  }
  return out;
}

Loop loop_of(const Activity& activity, const MarkedThread& marks, const std::vector<Turn>& turns,
             std::string how) {
  Loop loop{.found_by = FoundBy::optimizer, .how = std::move(how), .thread = marks.thread};
  for (const Turn& turn : turns)
    loop.steps.push_back({static_cast<std::int64_t>(loop.steps.size()), turn.stretch});
  if (marks.left_out_at_work > 0)
    loop.notes.push_back(fmt::format("optimizer steps of {} more thread{} are not among these",
                                     marks.left_out_at_work,
                                     marks.left_out_at_work == 1 ? "" : "s"));
  loop.confidence = activity.share_in(loop.time()) * (turns.size() >= 2 ? 0.9 : 0.3);
  add_tail(activity, loop);
  return loop;
}

std::string how_text(const Activity& activity, const MarkedThread& marks, std::size_t steps) {
  const std::string text = fmt::format("{} Optimizer.step scopes on {}", marks.ranges.size(),
                                       thread_text(*activity.trace, marks.thread));
  return steps == marks.ranges.size()
             ? text
             : text + fmt::format(", several an iteration: {} iterations", steps);
}

void add_single_turns(const Activity& activity, const MarkedThread& marks,
                      const std::vector<Turn>& single, const Cycle& cycle, Loop& loop) {
  loop.others.push_back(
      loop_of(activity, marks, single,
              fmt::format("each of {} optimizer steps by itself, of which an iteration has {}",
                          single.size(), cycle.turns)));
  if (!cycle.repeats_a_kind) return;
  loop.notes.push_back(
      fmt::format("optimizer steps come in cycles of {}, some of them alike: an inner loop of one "
                  "iteration, as is assumed, or iterations of which some do more; the trace does "
                  "not hold the program's loops, which would tell (--section, --step-marker)",
                  cycle.turns));
}

}  // namespace

Loop find_optimizer_steps(const Activity& activity) {
  std::vector<RangeId> ranges;
  for (RangeId range : activity.annotations)
    if (activity.name(range).starts_with("Optimizer.step#")) ranges.push_back(range);
  if (ranges.empty()) return {};
  const MarkedThread marks = choose_thread(activity, ranges);
  const std::vector<Turn> single = fold_back_to_back(activity, turns_of(activity, marks));
  const Cycle cycle = cycle_of(activity, single);
  const std::vector<Turn> turns = fold_cycles(single, cycle.turns);
  Loop loop = loop_of(activity, marks, turns, how_text(activity, marks, turns.size()));
  if (cycle.turns > 1) add_single_turns(activity, marks, single, cycle, loop);
  return loop;
}

}  // namespace stepscope
