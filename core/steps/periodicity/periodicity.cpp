// SPDX-License-Identifier: Apache-2.0
#include "core/steps/periodicity/periodicity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/steps/bags.hpp"
#include "core/steps/busiest_thread.hpp"
#include "core/steps/periodicity/lane.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kNearlyAll = 0.8;
constexpr double kWholeUnit = 0.9;
constexpr double kHalfUnit = 0.5;
constexpr double kSure = 0.8;
constexpr double kEvidenceAlone =
    0.65;  // trust in units that all hold a backward pass and an optimizer
constexpr double kAmbiguous = 0.65;

struct Choice {
  const RepeatLevel* level = nullptr;
  double certainty = kSure;
};

Choice choose(const std::vector<RepeatLevel>& levels, unsigned required) {
  const bool trains = (required & (kOptimizer | kBackward)) != 0;
  const double least = required == (kOptimizer | kBackward) ? kLeastOfTraining : kLeastExplained;
  std::vector<const RepeatLevel*> able;
  for (const RepeatLevel& level : levels) {
    if (level.explained >= least) able.push_back(&level);
  }
  for (const RepeatLevel* level : able) {
    if (level->evident >= kNearlyAll) return {level};
  }
  // A backward pass or an optimizer runs, but less often than anything repeats: a part of a step
  // does.
  if (able.empty() || trains) return {};
  const auto best = std::max_element(
      able.begin(), able.end(),
      [](const RepeatLevel* a, const RepeatLevel* b) { return a->explained < b->explained; });
  return {*best, able.size() > 1 ? kAmbiguous : kSure};
}

// A loop that does a little more every k-th iteration is none of k iterations.
Choice without_rare_lines(const Activity& activity, const Lane& lane,
                          const std::vector<RepeatLevel>& levels, Choice choice) {
  for (const RepeatLevel& level : levels) {
    const bool repeats_more = level.begins.size() > choice.level->begins.size();
    if (repeats_more && adds_rare_lines(activity, lane, level, *choice.level)) return {&level};
  }
  return choice;
}

ThreadId loop_thread(const Activity& activity, const Interval& time) {
  const Trace& trace = *activity.trace;
  ThreadId busiest = kNone;
  for (ThreadId t = 0; t < trace.data().threads.size(); ++t) {
    const Interval own = extent_of(trace, t);
    const bool spans = own.begin <= time.begin && own.end >= time.end - time.length() / 10;
    if (trace.data().threads[t].process != activity.process || !spans) continue;
    if (busiest == kNone || trace.ranges_of(t).size() > trace.ranges_of(busiest).size())
      busiest = t;
  }
  return busiest == kNone ? busiest_thread(trace, activity.process) : busiest;
}

struct PeriodEdges {
  std::optional<std::int64_t> head;  // begin of a first step in front of the first unit
  bool tail = true;                  // the last unit is a step
  bool last_complete = true;
};

using Items = std::span<const WorkItem>;

// Its first item and the one behind its last.
std::pair<std::size_t, std::size_t> typical_unit(const RepeatLevel& level) {
  std::size_t unit = 0;
  while (unit + 2 < level.begins.size() &&
         level.begins[unit + 1] - level.begins[unit] != level.typical_length)
    ++unit;
  return {level.begins[unit], level.begins[unit + 1]};
}

unsigned held_in(const Evidence& evidence, std::size_t begin, std::size_t end) {
  unsigned held = 0;
  for (std::size_t i = begin; i < end; ++i) held |= evidence.at[i];
  return held & evidence.required;
}

// Returns what lies before the first unit and is as long as one at most, from the first item on
// that units have as well.
Items head_of(const Lane& lane, const RepeatLevel& level, const Bag& unit) {
  const std::size_t begin = level.begins.front();
  const std::size_t length = std::min(begin, level.typical_length);
  Items head = Items(lane.items).subspan(begin - length, length);
  while (!head.empty() && common(bag_of(head.first(1)), unit) == 0) head = head.subspan(1);
  return head;
}

// A first iteration that is cut by the begin of the record, or differs (gradients and the
// optimizer's state are made in it), is no unit, but it holds most of one: units may begin within
// the iteration, so of its evidence only some may be there. Setting the model up holds little of
// one, and a forward pass before the training no evidence. Copies that stand where units begin are
// of the iteration before: a head that lacks them lacks nothing.
std::optional<std::int64_t> first_step(const Lane& lane, const RepeatLevel& level,
                                       const Evidence& evidence) {
  const auto [begin, end] = typical_unit(level);
  const Bag unit = bag_of(Items(lane.items).subspan(begin, end - begin));
  const Items head = head_of(lane, level, unit);
  const std::size_t length = std::min(head.size(), end - begin);
  const bool trains = (evidence.required & (kOptimizer | kBackward)) != 0;
  const bool is_due = trains || held_in(evidence, end - length, end) != 0;
  const std::size_t first = level.begins.front();
  if (evidence.required != 0 && is_due && held_in(evidence, first - head.size(), first) == 0)
    return std::nullopt;
  const auto alike = static_cast<double>(common(bag_of(head), unit));
  if (alike < kHalfUnit * static_cast<double>(size_of(unit))) return std::nullopt;
  return head.front().time;
}

PeriodEdges judge_edges(const Lane& lane, const RepeatLevel& level, const Evidence& evidence) {
  const auto unit = static_cast<double>(level.typical_length);
  const auto tail = static_cast<double>(lane.tokens.size() - level.begins.back());
  return {first_step(lane, level, evidence), tail >= kHalfUnit * unit, tail >= kWholeUnit * unit};
}

// Returns the usual time from the last item of a unit to the first of the next.
std::int64_t usual_lead_out(const Lane& lane, const RepeatLevel& level) {
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < level.begins.size(); ++i) {
    gaps.push_back(lane.items[level.begins[i]].time - lane.items[level.begins[i] - 1].time);
  }
  return median(std::move(gaps));
}

// Returns the end of the last whole unit, without what follows it (saving, a last evaluation,
// waiting for the device).
std::int64_t end_of_last(const Activity& activity, const Lane& lane, const RepeatLevel& level) {
  const std::size_t past = level.begins.back() + level.typical_length;
  const auto unit = static_cast<double>(level.typical_length);
  const bool more = static_cast<double>(lane.items.size()) > static_cast<double>(past) + 0.2 * unit;
  if (more) return lane.items[past].time;
  const std::int64_t last = lane.items.back().time;
  return std::max(last, std::min(activity.host.end, last + usual_lead_out(lane, level)));
}

std::vector<HostStep> steps_of(const Activity& activity, const Lane& lane, const RepeatLevel& level,
                               const PeriodEdges& edges) {
  std::vector<std::int64_t> cuts;
  if (edges.head) cuts.push_back(*edges.head);
  for (std::uint32_t begin : level.begins) cuts.push_back(lane.items[begin].time);
  if (edges.tail) cuts.push_back(end_of_last(activity, lane, level));
  std::vector<HostStep> steps;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    steps.push_back({static_cast<std::int64_t>(i), {cuts[i], cuts[i + 1]}});
  }
  return steps;
}

// "1,200 times 40 (taken), 12 times 4,000": tokens in calls of generate, layers in steps.
std::string levels_text(const std::vector<RepeatLevel>& levels, const RepeatLevel& taken) {
  std::string out;
  for (const RepeatLevel& level : levels) {
    if (level.explained < kLeastExplained) continue;
    out += fmt::format("{}{} times {}{}", out.empty() ? "" : ", ", level.begins.size(),
                       level.typical_length, &level == &taken ? " (taken)" : "");
  }
  return out;
}

Loop loop_of(const Activity& activity, const Lane& lane, const RepeatLevel& level,
             const Evidence& evidence, double certainty) {
  const PeriodEdges edges = judge_edges(lane, level, evidence);
  Loop loop{.found_by = FoundBy::periodicity,
            .confidence = certainty * std::max(level.explained, level.evident * kEvidenceAlone),
            .how = fmt::format("period of {} {}, repeated {} times, {:.0f} % alike",
                               level.typical_length, noun_of(activity.work_kind),
                               level.begins.size() - (edges.tail ? 0 : 1), 100 * level.explained),
            .steps = steps_of(activity, lane, level, edges),
            .last_complete = !edges.tail || edges.last_complete};
  loop.thread = loop_thread(activity, loop.time());
  return loop;
}

}  // namespace

Loop find_period(const Activity& activity) {
  const Lane lane = busiest_lane(activity);
  const Evidence evidence = evidence_in(activity, lane);
  const std::vector<RepeatLevel> levels = find_levels(lane.tokens, evidence);
  Choice choice = choose(levels, evidence.required);
  if (choice.level == nullptr) return {};
  choice = without_rare_lines(activity, lane, levels, choice);
  Loop loop = loop_of(activity, lane, *choice.level, evidence, choice.certainty);
  for (const RepeatLevel& level : levels) {
    if (&level == choice.level || level.explained < kLeastExplained) continue;
    loop.others.push_back(loop_of(activity, lane, level, evidence, kAmbiguous));
  }
  if (choice.certainty == kAmbiguous) {
    loop.notes.push_back(fmt::format(
        "the sequence of {} repeats at several levels ({}) and nothing tells which is the loop: "
        "the "
        "one that explains most of it is taken; --section shows another one, and a range around "
        "what you mean, named with --step-marker, settles it",
        noun_of(activity.work_kind), levels_text(levels, *choice.level)));
  }
  return loop;
}

}  // namespace stepscope
