// SPDX-License-Identifier: Apache-2.0
// Steps are the iterations of one of the program's own loops: the innermost one whose iterations
// each hold a whole cycle of what trains.
//
// An iteration that skips its optimizer is a step, as long as most do not. Loops around and inside
// are further divisions. An iteration that steps its optimizers many times over, and in no loop
// inside, is none: map(), or another loop in C that is not noted, runs the steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/steps/finders/finders.hpp"
#include "core/steps/nest/choice.hpp"
#include "core/steps/nest/cycle.hpp"
#include "core/steps/nest/loop_nest.hpp"
#include "core/steps/shares.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kConfidence = 0.95;
constexpr std::size_t kFewRounds = 10;  // fewer steps say little about a loop

// What iterations that train do, in the median.
std::size_t usual_work(const Activity& activity, const std::vector<NestIteration>& iterations,
                       const Cycle& cycle) {
  std::vector<std::int64_t> work;
  for (const NestIteration& one : iterations)
    if (holds(one.own, cycle, cycle.kinds.size()))
      work.push_back(std::ssize(activity.work_in(one.own)));
  return work.empty() ? 0 : static_cast<std::size_t>(median(std::move(work)));
}

// An entry into the loop in which nothing trains, such as a validation by the same lines, holds no
// steps, and an iteration that asks for a batch and does hardly anything with it is none: a `while`
// that begins its loader again. They belong to the step before, like what an outer loop does behind
// its last batch.
std::vector<NestIteration> that_train(const Activity& activity,
                                      const std::vector<NestIteration>& iterations,
                                      const Cycle& cycle) {
  std::set<std::uint32_t> visits;
  for (const NestIteration& one : iterations)
    if (holds(one.own, cycle, cycle.kinds.size())) visits.insert(one.visit);
  const std::size_t usual = usual_work(activity, iterations, cycle);
  const auto is_for_nothing = [&](const NestIteration& one) {
    return holds(one.own, cycle.fetches) && !holds(one.own, cycle, cycle.kinds.size()) &&
           !is_at_least(kHardlyAny, activity.work_in(one.own).size(), usual);
  };
  std::vector<NestIteration> out;
  for (const NestIteration& one : iterations) {
    if (visits.contains(one.visit) && !is_for_nothing(one)) {
      out.push_back(one);
    } else if (!out.empty()) {
      out.back().time.end = one.time.end;
    }
  }
  return out;
}

// Iterations whose gradients one optimizer step takes are one step.
std::vector<HostStep> steps_of(const std::vector<NestIteration>& iterations, const Cycle& cycle) {
  const auto marked = [&](const NestIteration& one) {
    return holds(one.time, cycle, cycle.marking);
  };
  const auto with = std::count_if(iterations.begin(), iterations.end(), marked);
  const bool accumulates = 2 * static_cast<std::size_t>(with) <= iterations.size();
  std::vector<HostStep> out;
  std::int64_t begin = 0;
  bool is_open = false;
  for (const NestIteration& one : iterations) {
    if (!is_open) begin = one.time.begin;
    is_open = accumulates && !marked(one);
    if (!is_open)
      out.push_back({static_cast<std::int64_t>(out.size()), {begin, one.time.end}, one.own.end});
  }
  return out;
}

// Whether the last step holds each kind that nearly all others do: a program that is interrupted or
// fails ends amid one.
bool ends_whole(const std::vector<HostStep>& steps, const Cycle& cycle) {
  return std::ranges::all_of(cycle.kinds, [&steps](const Kind& kind) {
    const auto with = std::count_if(steps.begin(), steps.end() - 1, [&kind](const HostStep& step) {
      return holds(step.time, kind);
    });
    return holds(steps.back().time, kind) || !is_at_least(kNearlyAll, with, steps.size() - 1);
  });
}

// The loops are one; it has the name of the one that comes round most often.
std::string how_text(const Activity& activity, const LoopNest& nest, const Cycle& cycle,
                     const std::vector<std::uint32_t>& loops, std::uint32_t most,
                     std::size_t iterations, std::size_t steps) {
  std::size_t idle = 0;
  for (const std::uint32_t loop : loops) idle += nest.loops[loop].iterations.size();
  idle -= iterations;
  std::string text = fmt::format("{} iterations of the loop at {}", iterations,
                                 name_of(*activity.trace, nest.loops[most]));
  if (loops.size() > 1) text += fmt::format(" and of {} more", loops.size() - 1);
  if (steps != iterations)
    text +=
        fmt::format("; {} once in several of them, so they are {} steps",
                    cycle.optimizers > 0 ? "the optimizer steps" : "parameters are updated", steps);
  if (idle > 0)
    text += fmt::format("; {} more, in which nothing trains, are no steps of their own", idle);
  return text;
}

// Notes how many steps the iterations of a loop around hold, where those that the recording surely holds
// whole (the first and the last may be cut) have as many each, and how much of their time is in no
// iteration of the loop right inside.
void note_steps_in(const std::vector<HostStep>& steps, const std::vector<NestIteration>& inside,
                   Loop& around) {
  if (around.steps.size() < kFewestRepeats + 1) return;
  std::map<std::size_t, std::size_t> counts;
  std::int64_t time = 0, inside_ns = 0;
  auto step = steps.begin();
  auto part = inside.begin();
  for (std::size_t i = 0; i < around.steps.size(); ++i) {
    const Interval one = around.steps[i].time;
    std::size_t count = 0;
    for (; step != steps.end() && step->time.begin < one.end; ++step)
      if (step->time.begin >= one.begin) ++count;
    for (; part != inside.end() && part->time.begin < one.end; ++part)
      if (part->time.begin >= one.begin) inside_ns += part->time.length();
    if (i > 0 && i + 1 < around.steps.size()) ++counts[count];
    time += one.length();
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; });
  if (!is_at_least(kNearlyAll, most->second, around.steps.size() - 2) || most->first == 0) return;
  around.steps_each = static_cast<double>(most->first);
  around.own_share =
      1 - static_cast<double>(inside_ns) / static_cast<double>(std::max<std::int64_t>(1, time));
}

// The loop right inside `around` that the steps' own loop is, or is in.
std::uint32_t right_inside(const LoopNest& nest, std::uint32_t around, std::uint32_t chosen) {
  while (nest.loops[chosen].around != around) chosen = nest.loops[chosen].around;
  return chosen;
}

// Loops around the chosen one, and those inside it that do something of what it does.
std::vector<Loop> divisions(const Activity& activity, const Cycle& cycle, const LoopNest& nest,
                            std::uint32_t chosen, const std::vector<HostStep>& steps) {
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
         .how = fmt::format("{} iterations of the loop at {}, {} the steps", loop.iterations.size(),
                            name_of(*activity.trace, loop), is_around ? "around" : "inside"),
         .thread = cycle.thread,
         .loop = name_of(*activity.trace, loop),
         .is_around = is_around});
    for (const NestIteration& one : loop.iterations)
      out.back().steps.push_back({static_cast<std::int64_t>(out.back().steps.size()), one.time});
    if (is_around)
      note_steps_in(steps, nest.loops[right_inside(nest, other, chosen)].iterations, out.back());
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
      "--lines-in {0}' records the lines inside {0}, and shows as a phase what {0} does every n-th "
      "step",
      package));
}

Loop loop_of(const Activity& activity, const Cycle& cycle, const LoopNest& nest,
             const std::vector<std::uint32_t>& loops) {
  const std::vector<NestIteration> iterations =
      that_train(activity, iterations_of(nest, loops), cycle);
  Loop loop{.found_by = FoundBy::loop_nest,
            .confidence = kConfidence,
            .thread = cycle.thread,
            .steps = steps_of(iterations, cycle)};
  if (loop.steps.size() < 2) return {};
  loop.last_complete = ends_whole(loop.steps, cycle);
  const std::uint32_t most = *std::ranges::max_element(
      loops, {}, [&nest](std::uint32_t one) { return nest.loops[one].iterations.size(); });
  loop.how = how_text(activity, nest, cycle, loops, most, iterations.size(), loop.steps.size());
  loop.others = divisions(activity, cycle, nest, most, loop.steps);
  loop.loop = name_of(*activity.trace, nest.loops[most]);
  loop.steps_each = 1 / std::max(1.0, std::round(static_cast<double>(iterations.size()) /
                                                 static_cast<double>(loop.steps.size())));
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

// Whether the period is several iterations of this loop, of which one does a little more (it prints a
// loss).
bool runs_through(const NestLoop& loop, const std::vector<std::int64_t>& begins) {
  return loop.around == kNone && loop.visits == 1 && loop.iterations.size() > begins.size() &&
         is_at_least(kNearlyAll, count_in(loop, begins), begins.size());
}

// A loop of a few rounds, in whose own function a loop inside has nearly all of the work and more iterations
// a round than there are rounds: epochs, of which only a number that each prints is copied to the host.
std::uint32_t batches_of(const LoopNest& nest, const Kind& work, std::uint32_t epochs) {
  const NestLoop& outer = nest.loops[epochs];
  if (outer.iterations.size() >= kFewRounds) return epochs;
  for (std::uint32_t inner = epochs + 1; inner < nest.loops.size(); ++inner) {
    const NestLoop& loop = nest.loops[inner];
    const bool is_written_inside = loop.around == epochs && loop.caller == kNone;
    const bool has_more = loop.iterations.size() > loop.visits * outer.iterations.size();
    if (is_written_inside && has_more &&
        is_at_least(kNearlyAll, count_in(loop, work), count_in(outer, work)))
      return inner;
  }
  return epochs;
}

}  // namespace

Loop find_nest_steps(const Activity& activity) {
  const Cycle cycle = cycle_of(activity);
  if (cycle.thread == kNone || cycle.kinds.empty()) return {};
  const LoopNest nest = loop_nest_of(activity, cycle.thread);
  const std::vector<std::uint32_t> loops = choose_loops(activity, cycle, nest);
  if (loops.empty()) return {};
  return loop_of(activity, cycle, nest, loops);
}

Loop loop_of_period(const Activity& activity, const std::vector<std::int64_t>& begins) {
  Cycle cycle{.thread = thread_of_loops(activity), .kinds = {{}}, .marking = 1};
  if (cycle.thread == kNone) return {};
  for (const WorkItem& item : activity.work) cycle.kinds.front().push_back(item.time);
  const LoopNest nest = loop_nest_of(activity, cycle.thread);
  for (const auto is_of_period : {comes_round_with, runs_through})
    for (std::uint32_t loop = 0; loop < nest.loops.size(); ++loop)
      if (is_of_period(nest.loops[loop], begins))
        return loop_of(activity, cycle, nest, {batches_of(nest, cycle.kinds.front(), loop)});
  return {};
}

}  // namespace stepscope
