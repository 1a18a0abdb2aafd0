// SPDX-License-Identifier: Apache-2.0
#include "core/steps/nest/nest_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/model/row_order.hpp"
#include "core/steps/empty_fetch.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/nest/loop_nest.hpp"

namespace stepscope {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kNearlyAll = 0.9;  // share of a kind's marks
constexpr double kMost = 0.5;       // share of the iterations
// A program writes down so many steps one after the other; more are a loop.
constexpr std::size_t kWrittenOut = 4;

// Times of one thing that trains.
using Kind = std::vector<std::int64_t>;

std::vector<std::int64_t> fetches_on(const Activity& activity, ThreadId thread) {
  std::vector<std::int64_t> out;
  for (const RangeId range : activity.annotations)
    if (activity.thread(range) == thread && is_loader_fetch(activity.name(range)))
      out.push_back(activity.time(range).begin);
  std::sort(out.begin(), out.end());
  return out;
}

struct Training {
  ThreadId thread = 0;
  std::vector<Kind> kinds;  // optimizers, then backward passes
  std::size_t marking = 0;  // how many of them make a step: the optimizers, where there are any
  std::size_t optimizers = 0;
  bool steps_in_backward = false;  // hooks of the gradients step the optimizers
  std::vector<std::int64_t> fetches;
};

bool any_in_backward(const HostRanges& h, const std::vector<RangeId>& ranges) {
  const std::vector<RangeId> enclosing = enclosing_ranges(h);
  return std::any_of(ranges.begin(), ranges.end(), [&](RangeId range) {
    while (range != kNone && h.kind[range] != HostKind::backward_node) range = enclosing[range];
    return range != kNone;
  });
}

Training training_of(const Activity& activity) {
  std::vector<RangeId> scopes;
  for (const RangeId range : activity.annotations)
    if (activity.name(range).starts_with("Optimizer.step#")) scopes.push_back(range);
  Training out;
  const LoopPositions& rows = activity.trace->data().loop_positions;
  if (!scopes.empty()) {
    const MarkedThread marks = choose_thread(activity, scopes);
    const std::vector<SiteId>& site = activity.trace->host_ranges().site;
    std::map<std::pair<std::string_view, SiteId>, Kind> kinds;
    for (const RangeId range : marks.ranges)
      kinds[{activity.name(range), site[range]}].push_back(activity.time(range).begin);
    out.steps_in_backward = any_in_backward(activity.trace->host_ranges(), marks.ranges);
    for (auto& [name, times] : kinds) out.kinds.push_back(std::move(times));
    out.thread = marks.thread;
    out.marking = out.optimizers = out.kinds.size();
  } else {
    std::map<ThreadId, std::size_t> most;
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (activity.trace->data().threads[rows.thread[row]].process == activity.process)
        ++most[rows.thread[row]];
    for (const auto& [thread, count] : most)
      if (most[out.thread] < count) out.thread = thread;
  }
  if (!activity.backward.empty()) out.kinds.push_back(activity.backward);
  if (out.marking == 0) out.marking = out.kinds.size();
  out.fetches = fetches_on(activity, out.thread);
  return out;
}

std::size_t count_in(const NestLoop& loop, const Kind& times) {
  return static_cast<std::size_t>(std::count_if(
      times.begin(), times.end(), [&](std::int64_t t) { return loop.iteration_at(t) != kNone; }));
}

bool asks_at(const NestLoop& loop, std::int64_t time) {
  return loop.iteration_at(time) != kNone ||
         std::any_of(loop.last_requests.begin(), loop.last_requests.end(),
                     [time](Interval request) { return request.contains(time); });
}

class Choice {
 public:
  Choice(const Training& training, const LoopNest& nest) : training_(training), nest_(nest) {
    for (const NestLoop& loop : nest.loops) {
      std::vector<std::size_t> counts;
      for (const Kind& kind : training.kinds) counts.push_back(count_in(loop, kind));
      counts_.push_back(std::move(counts));
    }
  }

  // Whether each iteration steps each of its optimizers many times over, and in no loop inside: what
  // runs the steps is a loop that was not noted, such as map()'s.
  bool holds_unseen_loop(std::uint32_t loop) const {
    if (training_.optimizers == 0 || training_.steps_in_backward) return false;
    for (std::size_t kind = 0; kind < training_.optimizers; ++kind) {
      std::size_t count = counts_[loop][kind];
      if (count == 0) continue;
      for (std::uint32_t inner = loop + 1; inner < nest_.loops.size(); ++inner)
        if (nest_.loops[inner].around == loop) count -= std::min(count, counts_[inner][kind]);
      if (count <= kWrittenOut * nest_.loops[loop].iterations.size()) return false;
    }
    return true;
  }

  // Loops whose iterations are steps of one kind: those with the most of what trains.
  std::vector<std::uint32_t> best() const {
    std::map<std::set<std::size_t>, std::vector<std::uint32_t>> by_kinds;
    for (std::uint32_t loop = 0; loop < nest_.loops.size(); ++loop) {
      if (nest_.loops[loop].around != kNone || kinds_of(loop, training_.marking).empty()) continue;
      for (const std::uint32_t chosen : descend(loop))
        by_kinds[kinds_of(chosen, training_.marking)].push_back(chosen);
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
  bool holds_the_same(std::uint32_t a, std::uint32_t b) const {
    return kinds_of(a, training_.kinds.size()) == kinds_of(b, training_.kinds.size());
  }
  std::int64_t time_of(const std::vector<std::uint32_t>& loops) const {
    std::int64_t sum = 0;
    for (const std::uint32_t loop : loops)
      for (const NestIteration& one : nest_.loops[loop].iterations) sum += one.time.length();
    return sum;
  }

  std::vector<std::uint32_t> descend(std::uint32_t loop) const {
    std::vector<std::uint32_t> inside;
    std::vector<std::size_t> held(training_.kinds.size(), 0);
    for (std::uint32_t inner = loop + 1; inner < nest_.loops.size(); ++inner) {
      if (nest_.loops[inner].around != loop || !holds_the_same(inner, loop)) continue;
      inside.push_back(inner);
      for (std::size_t kind = 0; kind < held.size(); ++kind) held[kind] += counts_[inner][kind];
    }
    for (std::size_t kind = 0; kind < held.size(); ++kind) {
      const auto all = static_cast<double>(counts_[loop][kind]);
      if (static_cast<double>(held[kind]) < kNearlyAll * all) return {loop};
    }
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
    for (const std::int64_t time : training_.fetches) {
      const bool is_inner = std::any_of(
          nest_.loops.begin(), nest_.loops.end(),
          [&](const NestLoop& inner) { return inner.around == loop && asks_at(inner, time); });
      const std::uint32_t iteration = nest_.loops[loop].iteration_at(time);
      if (!is_inner && iteration != kNone) fetching.insert(iteration);
    }
    return static_cast<double>(fetching.size()) >
           kMost * static_cast<double>(nest_.loops[loop].iterations.size());
  }

  const Training& training_;
  const LoopNest& nest_;
  std::vector<std::vector<std::size_t>> counts_;  // by loop, then by kind
};

bool ends_a_visit(const NestLoop& loop, std::size_t iteration) {
  const std::size_t next = iteration + 1;
  return next == loop.iterations.size() ||
         loop.iterations[next].visit != loop.iterations[iteration].visit;
}

// Returns the end of an iteration. What an outer loop does behind the last iteration of a visit
// belongs to it (an evaluation at the end of an epoch), and so on outwards where that loop is at
// its end as well.
std::int64_t end_of(const LoopNest& nest, std::uint32_t loop, std::size_t iteration) {
  const NestLoop& own = nest.loops[loop];
  const Interval time = own.iterations[iteration].time;
  if (own.around == kNone || !ends_a_visit(own, iteration)) return time.end;
  const std::uint32_t outer = nest.loops[own.around].iteration_at(time.begin);
  return outer == kNone ? time.end : std::max(time.end, end_of(nest, own.around, outer));
}

std::vector<NestIteration> iterations_of(const LoopNest& nest,
                                         const std::vector<std::uint32_t>& loops) {
  std::vector<NestIteration> out;
  std::uint32_t visits = 0;
  for (const std::uint32_t loop : loops) {
    for (std::size_t i = 0; i < nest.loops[loop].iterations.size(); ++i) {
      out.push_back(nest.loops[loop].iterations[i]);
      out.back().time.end = end_of(nest, loop, i);
      out.back().visit += visits;
    }
    visits += nest.loops[loop].visits;
  }
  std::sort(out.begin(), out.end(), [](const NestIteration& a, const NestIteration& b) {
    return a.time.begin < b.time.begin;
  });
  for (std::size_t i = 1; i < out.size(); ++i)
    out[i - 1].time.end = std::min(out[i - 1].time.end, out[i].time.begin);
  return out;
}

// Returns, by iteration, whether one of the first so many kinds is in it.
std::vector<bool> holding(const std::vector<NestIteration>& iterations, const Training& training,
                          std::size_t kinds) {
  std::vector<bool> out(iterations.size(), false);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    for (const std::int64_t time : training.kinds[kind]) {
      auto at = std::upper_bound(
          iterations.begin(), iterations.end(), time,
          [](std::int64_t t, const NestIteration& one) { return t < one.time.begin; });
      if (at != iterations.begin() && time < (at - 1)->time.end)
        out[static_cast<std::size_t>(at - iterations.begin()) - 1] = true;
    }
  }
  return out;
}

// An entry into the loop in which nothing trains, such as a validation by the same lines, holds no
// steps. It belongs to the step before, like what an outer loop does behind its last batch.
std::vector<NestIteration> of_training_visits(const std::vector<NestIteration>& iterations,
                                              const Training& training) {
  const std::vector<bool> trains = holding(iterations, training, training.kinds.size());
  std::set<std::uint32_t> visits;
  for (std::size_t i = 0; i < iterations.size(); ++i)
    if (trains[i]) visits.insert(iterations[i].visit);
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
std::vector<HostStep> steps_of(const std::vector<NestIteration>& iterations,
                               const std::vector<bool>& holds) {
  const auto with = static_cast<double>(std::count(holds.begin(), holds.end(), true));
  const bool accumulates = with <= kMost * static_cast<double>(holds.size());
  std::vector<HostStep> out;
  std::int64_t begin = 0;
  bool is_open = false;
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    if (!is_open) begin = iterations[i].time.begin;
    is_open = accumulates && !holds[i];
    if (!is_open)
      out.push_back({static_cast<std::int64_t>(out.size()), {begin, iterations[i].time.end}});
  }
  return out;
}

Loop division(const Activity& activity, ThreadId thread, const LoopNest& nest, std::uint32_t loop,
              std::string_view where) {
  Loop out{.found_by = FoundBy::loop_nest,
           .confidence = kConfidence,
           .how = fmt::format("{} iterations of {}, {}", nest.loops[loop].iterations.size(),
                              name_of(*activity.trace, nest.loops[loop]), where),
           .thread = thread};
  for (const NestIteration& one : nest.loops[loop].iterations)
    out.steps.push_back({static_cast<std::int64_t>(out.steps.size()), one.time});
  return out;
}

void add_divisions(const Activity& activity, const Training& training, const LoopNest& nest,
                   const std::vector<std::uint32_t>& chosen, Loop& loop) {
  for (std::uint32_t other = 0; other < nest.loops.size(); ++other) {
    if (nest.loops[other].iterations.size() < 2) continue;
    const std::uint32_t first = chosen.front();
    if (other == first) continue;
    const bool trains =
        std::any_of(training.kinds.begin(), training.kinds.end(),
                    [&](const Kind& k) { return count_in(nest.loops[other], k) > 0; });
    if (nest.is_inside(first, other))
      loop.others.push_back(division(activity, training.thread, nest, other, "around the steps"));
    else if (trains && nest.is_inside(other, first))
      loop.others.push_back(division(activity, training.thread, nest, other, "inside the steps"));
  }
}

std::string how_text(const Activity& activity, const LoopNest& nest,
                     const std::vector<std::uint32_t>& loops, std::size_t iterations,
                     std::size_t steps) {
  std::size_t idle = 0;
  for (const std::uint32_t loop : loops) idle += nest.loops[loop].iterations.size();
  idle -= iterations;
  std::string text = fmt::format("{} iterations of {}", iterations,
                                 name_of(*activity.trace, nest.loops[loops.front()]));
  if (loops.size() > 1) text += fmt::format(" and {} more with the same lines", loops.size() - 1);
  if (steps != iterations)
    text += fmt::format(", of which an optimizer steps for several at once: {} steps", steps);
  if (idle > 0)
    text += fmt::format("; in {} more nothing trains: they belong to the steps before them", idle);
  return text;
}

}  // namespace

Loop find_nest_steps(const Activity& activity) {
  if (activity.trace->data().loop_positions.size() == 0) return {};
  const Training training = training_of(activity);
  if (training.kinds.empty()) return {};
  const LoopNest nest = loop_nest_of(activity, training.thread);
  const Choice choice(training, nest);
  const std::vector<std::uint32_t> loops = choice.best();
  if (loops.empty() || choice.holds_unseen_loop(loops.front())) return {};
  const std::vector<NestIteration> iterations =
      of_training_visits(iterations_of(nest, loops), training);
  Loop loop{.found_by = FoundBy::loop_nest,
            .thread = training.thread,
            .steps = steps_of(iterations, holding(iterations, training, training.marking))};
  if (loop.steps.size() < 2) return {};
  loop.confidence = kConfidence;
  loop.how = how_text(activity, nest, loops, iterations.size(), loop.steps.size());
  add_divisions(activity, training, nest, loops, loop);
  return loop;
}

}  // namespace stepscope
