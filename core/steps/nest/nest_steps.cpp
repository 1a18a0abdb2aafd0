// SPDX-License-Identifier: Apache-2.0
// Steps are the iterations of one of the program's own loops: the innermost one whose iterations
// each hold a whole cycle of what trains.
//
// What trains is a set of kinds: each line that steps an optimizer, and backward passes; where
// nothing trains, the fetches of a loader. From an outer loop the choice goes on to those inside it
// as long as these hold every kind and nearly all of each. It stops where an iteration fetches a
// batch for several of the inner loop's.
//
//   for epoch: for batch: critic twice, generator once     batch
//   for batch: for model in ensemble: its optimizer        batch, which all share
//   for _ in range(5): iteration(); for _ in range(55): iteration()     both: the same lines
//   batches that an optimizer steps for together (accumulation)         all of them, one step
//   for epoch: in even ones for batch: critic, in odd ones for batch: generator     batches of both
//   for split in train, test: for batch: trains in one of them     batches of that one
//
// An iteration that skips its optimizer is a step, as long as most do not. Loops around and inside
// are further divisions. An iteration that steps its optimizers many times over, and in no loop
// inside, is none: map(), or another loop in C that is not noted, runs the steps.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/model/row_order.hpp"
#include "core/steps/finders/finders.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/nest/loop_nest.hpp"
#include "core/steps/shares.hpp"

namespace stepscope {
namespace {

constexpr double kConfidence = 0.95;
// A program writes down so many steps one after the other; more are a loop.
constexpr std::size_t kWrittenOut = 4;

// Times of one thing that an iteration does.
using Kind = std::vector<std::int64_t>;

struct Cycle {
  ThreadId thread = 0;
  std::vector<Kind> kinds;  // optimizers, then backward passes
  std::size_t marking = 0;  // how many of them make a step: the optimizers, where there are any
  std::size_t optimizers = 0;
  bool steps_in_backward = false;  // hooks of the gradients step the optimizers
  Kind fetches;
};

bool any_in_backward(const HostRanges& h, const std::vector<RangeId>& ranges) {
  const std::vector<RangeId> enclosing = enclosing_ranges(h);
  return std::any_of(ranges.begin(), ranges.end(), [&](RangeId range) {
    while (range != kNone && h.kind[range] != HostKind::backward_node) range = enclosing[range];
    return range != kNone;
  });
}

Cycle cycle_of(const Activity& activity) {
  Cycle out{.thread = thread_of_loops(activity)};
  const std::vector<RangeId> scopes = activity.annotations_that(is_optimizer_step);
  if (!scopes.empty()) {
    const MarkedThread marks = choose_thread(activity, scopes);
    const std::vector<SiteId>& site = activity.trace->host_ranges().site;
    std::map<std::pair<std::string_view, SiteId>, Kind> kinds;
    for (const RangeId range : marks.ranges)
      kinds[{activity.name(range), site[range]}].push_back(activity.time(range).begin);
    for (auto& [name, times] : kinds) out.kinds.push_back(std::move(times));
    out.thread = marks.thread;
    out.marking = out.optimizers = out.kinds.size();
    out.steps_in_backward = any_in_backward(activity.trace->host_ranges(), marks.ranges);
  }
  for (const RangeId fetch : loader_fetches(activity, out.thread))
    out.fetches.push_back(activity.time(fetch).begin);
  if (!activity.backward.empty()) out.kinds.push_back(activity.backward);
  if (out.kinds.empty() && !out.fetches.empty()) out.kinds.push_back(out.fetches);
  if (out.marking == 0) out.marking = out.kinds.size();
  return out;
}

// In an iteration of the loop, or in the request that was its end.
bool asks_at(const NestLoop& loop, std::int64_t time) {
  if (loop.iteration_at(time) != kNone) return true;
  const auto later =
      std::upper_bound(loop.last_requests.begin(), loop.last_requests.end(), time,
                       [](std::int64_t t, const Interval& one) { return t < one.begin; });
  return later != loop.last_requests.begin() && (later - 1)->contains(time);
}

std::size_t count_in(const NestLoop& loop, const Kind& times) {
  return static_cast<std::size_t>(
      std::count_if(times.begin(), times.end(), [&](std::int64_t t) { return asks_at(loop, t); }));
}

class Choice {
 public:
  Choice(const Cycle& cycle, const LoopNest& nest) : cycle_(cycle), nest_(nest) {
    for (const NestLoop& loop : nest.loops) {
      std::vector<std::size_t> counts;
      for (const Kind& kind : cycle.kinds) counts.push_back(count_in(loop, kind));
      counts_.push_back(std::move(counts));
    }
  }

  // Whether each iteration steps each of its optimizers many times over, and in no loop inside: what
  // runs the steps is a loop that was not noted, such as map()'s.
  bool holds_unseen_loop(std::uint32_t loop) const {
    if (cycle_.optimizers == 0 || cycle_.steps_in_backward) return false;
    for (std::size_t kind = 0; kind < cycle_.optimizers; ++kind) {
      std::size_t count = counts_[loop][kind];
      if (count == 0) continue;
      for (std::uint32_t inner = loop + 1; inner < nest_.loops.size(); ++inner)
        if (nest_.loops[inner].around == loop) count -= std::min(count, counts_[inner][kind]);
      if (count <= kWrittenOut * nest_.loops[loop].iterations.size()) return false;
    }
    return true;
  }

  // Loops whose iterations are steps of one kind: those with the most time.
  std::vector<std::uint32_t> best() const {
    std::map<std::set<std::size_t>, std::vector<std::uint32_t>> by_kinds;
    for (std::uint32_t loop = 0; loop < nest_.loops.size(); ++loop) {
      if (nest_.loops[loop].around != kNone || kinds_of(loop, cycle_.marking).empty()) continue;
      for (const std::uint32_t chosen : descend(loop))
        by_kinds[kinds_of(loop, cycle_.marking)].push_back(chosen);
    }
    std::vector<std::uint32_t> out;
    for (const auto& [kinds, loops] : by_kinds)
      if (time_of(out) < time_of(loops)) out = loops;
    return out;
  }

 private:
  // Returns which of the first so many kinds the loop holds.
  std::set<std::size_t> kinds_of(std::uint32_t loop, std::size_t first) const {
    std::set<std::size_t> out;
    for (std::size_t kind = 0; kind < first; ++kind)
      if (counts_[loop][kind] > 0) out.insert(kind);
    return out;
  }
  std::int64_t time_of(const std::vector<std::uint32_t>& loops) const {
    std::int64_t sum = 0;
    for (const std::uint32_t loop : loops)
      for (const NestIteration& one : nest_.loops[loop].iterations) sum += one.time.length();
    return sum;
  }

  // Returns the loops right inside that hold each kind, or a part of them; none where they do not hold
  // nearly all together.
  std::vector<std::uint32_t> inside_of(std::uint32_t loop, bool parts) const {
    const std::size_t all = cycle_.kinds.size();
    std::vector<std::uint32_t> inside;
    std::vector<std::size_t> held(all, 0);
    for (std::uint32_t inner = loop + 1; inner < nest_.loops.size(); ++inner) {
      if (nest_.loops[inner].around != loop || kinds_of(inner, cycle_.marking).empty()) continue;
      if (!parts && kinds_of(inner, all) != kinds_of(loop, all)) continue;
      inside.push_back(inner);
      for (std::size_t kind = 0; kind < all; ++kind) held[kind] += counts_[inner][kind];
    }
    for (std::size_t kind = 0; kind < all; ++kind)
      if (!is_at_least(kNearlyAll, held[kind], counts_[loop][kind])) return {};
    return inside;
  }

  // Whether most iterations train a part of what the loop trains: a critic in each even epoch, and a
  // generator in each odd one.
  bool alternates(std::uint32_t loop) const {
    std::map<std::uint32_t, std::size_t> held;  // by iteration, how many kinds
    for (std::size_t kind = 0; kind < cycle_.marking; ++kind) {
      std::set<std::uint32_t> iterations;
      for (const std::int64_t time : cycle_.kinds[kind])
        iterations.insert(nest_.loops[loop].iteration_at(time));
      for (const std::uint32_t one : iterations) ++held[one];
    }
    held.erase(kNone);
    const std::size_t all = kinds_of(loop, cycle_.marking).size();
    const auto whole = std::count_if(held.begin(), held.end(),
                                     [all](const auto& one) { return one.second == all; });
    return 2 * static_cast<std::size_t>(whole) <= held.size();
  }

  std::vector<std::uint32_t> descend(std::uint32_t loop) const {
    std::vector<std::uint32_t> inside = inside_of(loop, false);
    if (inside.empty() && alternates(loop)) inside = inside_of(loop, true);
    if (inside.empty() || fetches_for_all(loop)) return {loop};
    std::vector<std::uint32_t> out;
    for (const std::uint32_t inner : inside) {
      const std::vector<std::uint32_t> chosen = descend(inner);
      out.insert(out.end(), chosen.begin(), chosen.end());
    }
    return out;
  }

  // Most iterations of the loop fetch a batch that no loop inside asked for.
  bool fetches_for_all(std::uint32_t loop) const {
    std::set<std::uint32_t> fetching;
    for (const std::int64_t time : cycle_.fetches) {
      const bool is_inner = std::any_of(
          nest_.loops.begin(), nest_.loops.end(),
          [&](const NestLoop& inner) { return inner.around == loop && asks_at(inner, time); });
      const std::uint32_t iteration = nest_.loops[loop].iteration_at(time);
      if (!is_inner && iteration != kNone) fetching.insert(iteration);
    }
    return 2 * fetching.size() > nest_.loops[loop].iterations.size();
  }

  const Cycle& cycle_;
  const LoopNest& nest_;
  std::vector<std::vector<std::size_t>> counts_;  // by loop, then by kind
};

// Whether one of the first so many kinds is in it.
bool holds(const NestIteration& iteration, const Cycle& cycle, std::size_t kinds) {
  return std::any_of(cycle.kinds.begin(), cycle.kinds.begin() + static_cast<std::ptrdiff_t>(kinds),
                     [&](const Kind& times) {
                       const auto at =
                           std::lower_bound(times.begin(), times.end(), iteration.time.begin);
                       return at != times.end() && *at < iteration.time.end;
                     });
}

// An entry into the loop in which nothing trains, such as a validation by the same lines, holds no
// steps. It belongs to the step before, like what an outer loop does behind its last batch.
std::vector<NestIteration> of_training_visits(const std::vector<NestIteration>& iterations,
                                              const Cycle& cycle) {
  std::set<std::uint32_t> visits;
  for (const NestIteration& one : iterations)
    if (holds(one, cycle, cycle.kinds.size())) visits.insert(one.visit);
  std::vector<NestIteration> out;
  for (const NestIteration& one : iterations) {
    if (visits.contains(one.visit)) {
      out.push_back(one);
    } else if (!out.empty()) {
      out.back().time.end = one.time.end;
    }
  }
  return out;
}

// Iterations whose gradients one optimizer step takes are one step.
std::vector<HostStep> steps_of(const std::vector<NestIteration>& iterations, const Cycle& cycle) {
  const auto marked = [&](const NestIteration& one) { return holds(one, cycle, cycle.marking); };
  const auto with = std::count_if(iterations.begin(), iterations.end(), marked);
  const bool accumulates = 2 * static_cast<std::size_t>(with) <= iterations.size();
  std::vector<HostStep> out;
  std::int64_t begin = 0;
  bool is_open = false;
  for (const NestIteration& one : iterations) {
    if (!is_open) begin = one.time.begin;
    is_open = accumulates && !marked(one);
    if (!is_open) out.push_back({static_cast<std::int64_t>(out.size()), {begin, one.time.end}});
  }
  return out;
}

// The loops are one; it has the name of the one that comes round most often.
std::string how_text(const Activity& activity, const LoopNest& nest,
                     const std::vector<std::uint32_t>& loops, std::uint32_t most,
                     std::size_t iterations, std::size_t steps) {
  std::size_t idle = 0;
  for (const std::uint32_t loop : loops) idle += nest.loops[loop].iterations.size();
  idle -= iterations;
  std::string text =
      fmt::format("{} iterations of {}", iterations, name_of(*activity.trace, nest.loops[most]));
  if (loops.size() > 1)
    text +=
        fmt::format(" and of {} more that train{}", loops.size() - 1, loops.size() == 2 ? "s" : "");
  if (steps != iterations)
    text +=
        fmt::format("; the optimizer steps once in several of them, so they are {} steps", steps);
  if (idle > 0)
    text += fmt::format("; {} more, in which nothing trains, are no steps of their own", idle);
  return text;
}

// Loops around the chosen one, and those inside it that do something of what it does.
std::vector<Loop> divisions(const Activity& activity, const Cycle& cycle, const LoopNest& nest,
                            std::uint32_t chosen) {
  std::vector<Loop> out;
  for (std::uint32_t other = 0; other < nest.loops.size(); ++other) {
    const NestLoop& loop = nest.loops[other];
    if (loop.iterations.size() < 2 || other == chosen) continue;
    const bool is_around = nest.is_inside(chosen, other);
    const bool takes_part =
        nest.is_inside(other, chosen) && std::ranges::any_of(cycle.kinds, [&](const Kind& kind) {
          return std::ranges::any_of(kind, [&](std::int64_t time) { return asks_at(loop, time); });
        });
    if (!is_around && !takes_part) continue;
    out.push_back(
        {.found_by = FoundBy::loop_nest,
         .confidence = kConfidence,
         .how = fmt::format("{} iterations of {}, {} the steps", loop.iterations.size(),
                            name_of(*activity.trace, loop), is_around ? "around" : "inside"),
         .thread = cycle.thread});
    for (const NestIteration& one : loop.iterations)
      out.back().steps.push_back({static_cast<std::int64_t>(out.back().steps.size()), one.time});
  }
  return out;
}

// "transformers" of ".../site-packages/transformers/trainer.py"; empty: it is installed nowhere.
std::string_view package_of(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t at = path.rfind(folder);
    if (at == std::string_view::npos) continue;
    const std::string_view below = path.substr(at + folder.size());
    return below.substr(0, below.find('/'));
  }
  return {};
}

// Returns whether a record has its line in that package, as with --lines-in, or where the program
// itself is installed there.
bool has_lines_in(const Trace& trace, std::string_view package) {
  const std::vector<Site>& sites = trace.data().sites;
  std::vector<bool> inside(sites.size());
  for (SiteId site = 0; site < sites.size(); ++site)
    inside[site] = package_of(trace.text(sites[site].file)) == package;
  return std::ranges::any_of(trace.host_ranges().site,
                             [&](SiteId site) { return site != kNone && inside[site]; });
}

// Says how lines are had where a library runs the loop: the program's own line is the call of it.
void note_package(const Trace& trace, const NestLoop& loop, Loop& out) {
  const std::string_view package = package_of(trace.text(trace.data().sites[loop.at].file));
  if (package.empty() || has_lines_in(trace, package)) return;
  out.notes.push_back(fmt::format(
      "the package {0} runs this loop, and lines are those of your own code: 'stepscope profile "
      "--lines-in {0}' records the lines inside {0}",
      package));
}

Loop loop_of(const Activity& activity, const Cycle& cycle, const LoopNest& nest,
             const std::vector<std::uint32_t>& loops) {
  const std::vector<NestIteration> iterations =
      of_training_visits(iterations_of(nest, loops), cycle);
  Loop loop{.found_by = FoundBy::loop_nest,
            .confidence = kConfidence,
            .thread = cycle.thread,
            .steps = steps_of(iterations, cycle)};
  if (loop.steps.size() < 2) return {};
  const std::uint32_t most = *std::ranges::max_element(
      loops, {}, [&nest](std::uint32_t one) { return nest.loops[one].iterations.size(); });
  loop.how = how_text(activity, nest, loops, most, iterations.size(), loop.steps.size());
  loop.others = divisions(activity, cycle, nest, most);
  note_package(*activity.trace, nest.loops[most], loop);
  return loop;
}

// One to one.
bool comes_round_with(const NestLoop& loop, const std::vector<std::int64_t>& begins) {
  std::set<std::uint32_t> held;
  for (const std::int64_t time : begins) held.insert(loop.iteration_at(time));
  held.erase(kNone);
  return is_at_least(kNearlyAll, held.size(), std::max(begins.size(), loop.iterations.size()));
}

}  // namespace

Loop find_nest_steps(const Activity& activity) {
  const Cycle cycle = cycle_of(activity);
  if (cycle.thread == kNone || cycle.kinds.empty()) return {};
  const LoopNest nest = loop_nest_of(activity, cycle.thread);
  const Choice choice(cycle, nest);
  const std::vector<std::uint32_t> loops = choice.best();
  if (loops.empty() || choice.holds_unseen_loop(loops.front())) return {};
  return loop_of(activity, cycle, nest, loops);
}

Loop loop_of_period(const Activity& activity, const std::vector<std::int64_t>& begins) {
  Cycle cycle{.thread = thread_of_loops(activity), .kinds = {{}}, .marking = 1};
  if (cycle.thread == kNone) return {};
  for (const WorkItem& item : activity.work) cycle.kinds.front().push_back(item.time);
  const LoopNest nest = loop_nest_of(activity, cycle.thread);
  for (std::uint32_t loop = 0; loop < nest.loops.size(); ++loop)
    if (comes_round_with(nest.loops[loop], begins)) return loop_of(activity, cycle, nest, {loop});
  return {};
}

bool are_outside_loops(const Activity& activity, const std::vector<std::int64_t>& times) {
  if (!activity.trace->data().processes[activity.process].facts.contains("loop_positions"))
    return false;
  const std::vector<ThreadId>& rows = activity.trace->data().loop_positions.thread;
  std::vector<NestLoop> loops;
  for (const ThreadId thread : std::set<ThreadId>(rows.begin(), rows.end())) {
    if (activity.trace->data().threads[thread].process != activity.process) continue;
    const LoopNest nest = loop_nest_of(activity, thread);
    loops.insert(loops.end(), nest.loops.begin(), nest.loops.end());
  }
  const auto outside = std::ranges::count_if(times, [&loops](std::int64_t time) {
    return std::ranges::none_of(
        loops, [time](const NestLoop& loop) { return loop.iteration_at(time) != kNone; });
  });
  return is_at_least(kNearlyAll, outside, times.size());
}

}  // namespace stepscope
