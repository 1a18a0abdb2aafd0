// SPDX-License-Identifier: Apache-2.0
// A turn is an optimizer's scope with the work before it. Two turns are of one kind if one line
// steps their optimizers, and both or neither have a fetch of their own. Where lines are not known
// they have the same name, about as many backward nodes, and alike work: one may add to the other
// (the state that an optimizer's first step makes, an evaluation).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/steps/bags.hpp"
#include "core/steps/finders/finders.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/shares.hpp"
#include "core/steps/tail.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

struct Turn {
  std::string_view name;
  SiteId line = kNone;   // where it is called; kNone: not known
  Interval scope;        // the optimizer's own, or from the first to the last of a cycle
  Interval stretch;      // from the end of the turn before to the end of the scope
  bool fetches = false;  // a batch of its own
};

// Where some turns fetch several batches (accumulation, an evaluation) it tells none from another.
void note_fetches(const Activity& activity, ThreadId thread, std::vector<Turn>& turns) {
  std::size_t fetches = 0, with = 0;
  for (const RangeId range : loader_fetches(activity, thread)) {
    const std::int64_t time = activity.time(range).begin;
    const auto turn =
        std::upper_bound(turns.begin(), turns.end(), time,
                         [](std::int64_t t, const Turn& one) { return t < one.stretch.end; });
    if (turn == turns.end()) continue;
    with += turn->fetches ? 0U : 1U;
    turn->fetches = true;
    ++fetches;
  }
  if (is_at_least(kNearlyAll, with, fetches)) return;
  for (Turn& turn : turns) turn.fetches = false;
}

std::vector<Turn> turns_of(const Activity& activity, const MarkedThread& marks) {
  std::vector<Turn> turns;
  std::int64_t begin =
      std::max(extent_of(*activity.trace, marks.thread).begin, activity.host.begin);
  for (const RangeId range : marks.ranges) {
    const Interval scope = activity.time(range);
    const SiteId line = activity.trace->host_ranges().site[range];
    turns.push_back({activity.name(range), line, scope, {begin, scope.end}});
    begin = scope.end;
  }
  note_fetches(activity, marks.thread, turns);
  return turns;
}

// A last iteration that is not complete is left out: its remaining optimizers lie behind the
// trace's end.
std::vector<Turn> fold_cycles(const std::vector<Turn>& turns, std::size_t cycle) {
  std::vector<Turn> out;
  for (std::size_t i = 0; i + cycle <= turns.size(); i += cycle) {
    out.push_back(turns[i]);
    out.back().scope.end = out.back().stretch.end = turns[i + cycle - 1].scope.end;
  }
  return out;
}

struct Kind {
  Turn turn;
  std::size_t backward = 0;
  Bag stretch;
};

Kind kind_of(const Activity& activity, const Turn& turn) {
  if (turn.line != kNone) return {.turn = turn};
  return {turn, activity.backward_in(turn.stretch), bag_of(activity.work_in(turn.stretch))};
}

bool same_work(const Kind& a, const Kind& b) {
  const auto [fewer, more] = std::minmax(a.backward, b.backward);
  return is_at_least(kNearlyAll, fewer, more) && containment(a.stretch, b.stretch) >= kMost;
}

bool same_kind(const Kind& a, const Kind& b) {
  return a.turn.line == b.turn.line && a.turn.fetches == b.turn.fetches &&
         (a.turn.line != kNone || (a.turn.name == b.turn.name && same_work(a, b)));
}

// Returns numbers of kinds in order of appearance; more than a cycle can have share the last number.
std::vector<std::size_t> kinds_of(const Activity& activity, const std::vector<Turn>& turns) {
  std::vector<Kind> kinds;
  std::vector<std::size_t> out;
  for (const Turn& turn : turns) {
    Kind kind = kind_of(activity, turn);
    const auto at = std::find_if(kinds.begin(), kinds.end(),
                                 [&kind](const Kind& known) { return same_kind(known, kind); });
    out.push_back(std::min(static_cast<std::size_t>(at - kinds.begin()), kMany));
    if (at == kinds.end() && kinds.size() < kMany) kinds.push_back(std::move(kind));
  }
  return out;
}

bool has_single_ones(const std::vector<std::size_t>& kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [&](std::size_t kind) {
    return std::count(kinds.begin(), kinds.end(), kind) == 1;
  });
}

std::size_t most_common(const std::vector<std::size_t>& kinds) {
  std::vector<std::size_t> count(kMany + 1, 0);
  for (const std::size_t kind : kinds) ++count[kind];
  return static_cast<std::size_t>(std::max_element(count.begin(), count.end()) - count.begin());
}

// Whether nearly all turns are of the kind that came a cycle before. A longer cycle must tell when
// the rarer kinds come, not only that they are rare.
bool repeats(const std::vector<std::size_t>& kinds, std::size_t cycle, std::size_t common) {
  std::size_t same = 0, pairs = 0;
  for (std::size_t i = 0; i + cycle < kinds.size(); ++i) {
    const bool is_same = kinds[i] == kinds[i + cycle];
    if (cycle > 1 && is_same && kinds[i] == common) continue;
    same += is_same ? 1U : 0U;
    ++pairs;
  }
  return pairs > 0 && is_at_least(kNearlyAll, same, pairs);
}

// Returns the shortest cycle of kinds; 1: there is none.
std::size_t cycle_of(const std::vector<std::size_t>& kinds) {
  if (kinds.size() < 3) return 1;
  const std::size_t common = most_common(kinds);
  for (std::size_t cycle = 1; cycle <= kMany && 2 * cycle <= kinds.size() + 1; ++cycle)
    if (repeats(kinds, cycle, common)) return cycle;
  return 1;
}

Loop loop_of(const Activity& activity, const MarkedThread& marks, const std::vector<Turn>& turns,
             std::string how) {
  Loop loop{.found_by = FoundBy::optimizer, .how = std::move(how), .thread = marks.thread};
  for (const Turn& turn : turns)
    loop.steps.push_back({static_cast<std::int64_t>(loop.steps.size()), turn.stretch});
  if (marks.left_out_threads > 0)
    loop.notes.push_back(fmt::format("optimizer steps of {} more thread{} are not among these",
                                     marks.left_out_threads,
                                     marks.left_out_threads == 1 ? "" : "s"));
  loop.confidence = activity.share_in(loop.time()) * (turns.size() >= 2 ? 0.9 : 0.3);
  add_tail(activity, loop);
  return loop;
}

// Each step's own backward pass is made of the same nodes, so one with twice as many holds another
// iteration. Nodes inside the scope are the optimizer's (a closure's).
void note_skipped(const Activity& activity, const std::vector<Turn>& turns, Loop& loop) {
  std::vector<std::int64_t> nodes;
  for (const Turn& turn : turns)
    nodes.push_back(
        static_cast<std::int64_t>(activity.backward_in({turn.stretch.begin, turn.scope.begin})));
  const std::int64_t usual = median(nodes);
  const auto steps_of = [&](const auto& is) {
    return std::count_if(nodes.begin(), nodes.end(), is);
  };
  const auto joined =
      usual == 0 ? 0 : steps_of([&](auto n) { return n >= 2 * usual && n % usual == 0; });
  if (joined == 0 || 2 * steps_of([&](auto n) { return n == usual; }) < std::ssize(nodes)) return;
  loop.notes.push_back(
      fmt::format("{} of {} steps hold{} the backward passes of two iterations or more: one that "
                  "skips its optimizer (as GradScaler does behind an overflow) joins the next step "
                  "where the program's loops are not known; marks tell it apart (ProfilerStep#, "
                  "--step-marker)",
                  joined, nodes.size(), joined == 1 ? "s" : ""));
}

// Several optimizers, each of which stepped once, in an iteration that the program did not end.
bool run_once(const Activity& activity, const std::vector<RangeId>& scopes) {
  std::set<SiteId> lines;
  std::vector<std::int64_t> begins;
  for (const RangeId scope : scopes) {
    const SiteId line = activity.trace->host_ranges().site[scope];
    if (line == kNone || !lines.insert(line).second) return false;
    begins.push_back(activity.time(scope).begin);
  }
  return run_by(activity, begins) == RunBy::one_iteration;
}

}  // namespace

Loop find_optimizer_steps(const Activity& activity) {
  const std::vector<RangeId> ranges = activity.annotations_that(is_optimizer_step);
  if (ranges.empty()) return {};
  const MarkedThread marks = choose_thread(activity, ranges);
  const std::vector<Turn> single = turns_of(activity, marks);
  // The first turn may hold the program's start, so it tells no cycle.
  const std::vector<std::size_t> kinds = kinds_of(activity, {single.begin() + 1, single.end()});
  const std::size_t cycle = cycle_of(kinds);
  const std::vector<Turn> turns = fold_cycles(single, cycle);
  if (turns.size() == 1)
    if (Loop calls = find_closure_calls(activity); calls.found()) return calls;
  std::string how = fmt::format("{} Optimizer.step scopes on {}", marks.ranges.size(),
                                thread_text(*activity.trace, marks.thread));
  if (turns.size() != marks.ranges.size())
    how += fmt::format(", several an iteration: {} iterations", turns.size());
  Loop loop = loop_of(activity, marks, turns, std::move(how));
  loop.runs_once = run_once(activity, marks.ranges);
  loop.is_uneven = has_single_ones(kinds_of(activity, single));
  note_skipped(activity, turns, loop);
  if (cycle == 1) return loop;
  loop.others.push_back(
      loop_of(activity, marks, single,
              fmt::format("each of {} optimizer steps by itself, of which an iteration has {}",
                          single.size(), cycle)));
  const std::set<std::size_t> distinct(kinds.end() - static_cast<std::ptrdiff_t>(cycle),
                                       kinds.end());
  if (distinct.size() < cycle)
    loop.notes.push_back(fmt::format(
        "optimizer steps come in cycles of {}, some of them alike: an inner loop of one iteration, "
        "as is assumed, or iterations of which some do more; the trace does not hold the program's "
        "loops, which would tell (--section, --step-marker)",
        cycle));
  return loop;
}

}  // namespace stepscope
