// SPDX-License-Identifier: Apache-2.0
// Steps from the period of the launch sequence (of the busiest stream), or of the op sequence (of
// the busiest thread) where there is no device: README.md.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/steps/bags.hpp"
#include "core/steps/finders/finders.hpp"
#include "core/steps/periodicity/lane.hpp"
#include "core/steps/shares.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kLeastExplained = 0.6;   // share of the sequence
constexpr double kLeastOfTraining = 0.4;  // where each unit trains: validation may fill the rest
constexpr double kSure = 0.8;
// Confidence where nothing tells one level from another, and in units that hold a backward pass and
// an optimizer and explain little else.
constexpr double kAmbiguous = 0.65;

struct Choice {
  const RepeatLevel* level = nullptr;
  double certainty = kSure;
  bool whole = false;  // its units hold what a whole iteration does, and not a part of one
};

// The kernels of a captured graph come by one launch: what repeats among them is no loop of the host.
bool begins_within_calls(const Lane& lane, const RepeatLevel& level) {
  std::size_t within = 0;
  for (std::size_t i = 1; i < level.begins.size(); ++i)
    within += lane.items[level.begins[i]].time == lane.items[level.begins[i] - 1].time ? 1U : 0U;
  return 2 * within > level.begins.size();
}

std::vector<RepeatLevel> levels_of(const Lane& lane, const Evidence& evidence) {
  std::vector<RepeatLevel> levels = find_levels(lane.tokens, evidence);
  std::erase_if(levels, [&](const RepeatLevel& level) { return begins_within_calls(lane, level); });
  return levels;
}

Choice choose(const std::vector<RepeatLevel>& levels, unsigned required) {
  const bool trains = (required & (kOptimizer | kBackward)) != 0;
  const double least = required == (kOptimizer | kBackward) ? kLeastOfTraining : kLeastExplained;
  std::vector<const RepeatLevel*> able;
  for (const RepeatLevel& level : levels) {
    if (level.explained >= least) able.push_back(&level);
  }
  for (const RepeatLevel* level : able) {
    if (level->evident >= kMost) return {level, kSure, (required & kBackward) != required};
  }
  // A backward pass or an optimizer runs, but less often than anything repeats: a part of a step
  // does.
  if (able.empty() || trains) return {};
  const auto best = std::max_element(
      able.begin(), able.end(),
      [](const RepeatLevel* a, const RepeatLevel* b) { return a->explained < b->explained; });
  return {*best, able.size() > 1 ? kAmbiguous : kSure};
}

using Items = std::span<const WorkItem>;

// Returns a unit of typical length.
Items typical_unit(const Lane& lane, const RepeatLevel& level) {
  std::size_t unit = 0;
  while (unit + 2 < level.begins.size() &&
         level.begins[unit + 1] - level.begins[unit] != level.typical_length)
    ++unit;
  return Items(lane.items).subspan(level.begins[unit], level.begins[unit + 1] - level.begins[unit]);
}

bool runs_a_framework(const Activity& activity) {
  const HostRanges& h = activity.trace->host_ranges();
  for (RangeId range = 0; range < h.size(); ++range)
    if (h.kind[range] == HostKind::op &&
        activity.trace->data().threads[h.thread[range]].process == activity.process)
      return true;
  return false;
}

ThreadId loop_thread(const Activity& activity, const Interval& time) {
  const Trace& trace = *activity.trace;
  const ThreadId spanning = busiest_thread(trace, activity.process, [&](ThreadId thread) {
    const Interval own = extent_of(trace, thread);
    return own.begin <= time.begin && own.end >= time.end - time.length() / 10;
  });
  return spanning == kNone ? busiest_thread(trace, activity.process) : spanning;
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
// optimizer's state are made in it), is no unit, but it holds most of one. Setting the model up holds
// little of one.
std::optional<std::int64_t> first_step(const Lane& lane, const RepeatLevel& level) {
  const Bag unit = bag_of(typical_unit(lane, level));
  const Items head = head_of(lane, level, unit);
  if (2 * common(bag_of(head), unit) < size_of(unit)) return std::nullopt;
  return head.front().time;
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
  const std::size_t more = lane.items.size() - std::min(past, lane.items.size());
  if (more > 0 && is_at_least(1 - kMost, more, level.typical_length)) return lane.items[past].time;
  const std::int64_t last = lane.items.back().time;
  return std::max(last, std::min(activity.host.end, last + usual_lead_out(lane, level)));
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

// At the edges a piece of at least half a unit is an incomplete step, a smaller one is no step.
Loop loop_of(const Activity& activity, const Lane& lane, const RepeatLevel& level,
             double certainty) {
  const std::size_t tail = lane.items.size() - level.begins.back();
  const bool has_tail = 2 * tail >= level.typical_length;
  std::vector<std::int64_t> cuts;
  if (const auto head = first_step(lane, level)) cuts.push_back(*head);
  for (const std::uint32_t begin : level.begins) cuts.push_back(lane.items[begin].time);
  if (has_tail) cuts.push_back(end_of_last(activity, lane, level));
  Loop loop{
      .found_by = FoundBy::periodicity,
      .confidence = certainty * std::max(level.explained, level.evident * kAmbiguous),
      .how = fmt::format("period of {} {}, repeated {} times, {:.0f} % alike", level.typical_length,
                         noun_of(activity.work_kind, level.typical_length),
                         level.begins.size() - (has_tail ? 0 : 1), 100 * level.explained),
      .last_complete = !has_tail || is_at_least(kNearlyAll, tail, level.typical_length)};
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    loop.steps.push_back({static_cast<std::int64_t>(i), {cuts[i], cuts[i + 1]}});
  loop.thread = loop_thread(activity, loop.time());
  return loop;
}

// True where work that the usual unit lacks stands before the first unit and behind the last, in a
// trace of a profiler that the program starts around what it shall show. Our own recordings hold a
// program's set-up and its end as well.
bool stands_amid_others(const Activity& activity, const Lane& lane, const RepeatLevel& level) {
  if (activity.trace->data().source == SourceKind::stepscope) return false;
  const Items unit = typical_unit(lane, level);
  const auto begin = lane.tokens.begin() + (unit.data() - lane.items.data());
  const std::set<std::uint32_t> usual(begin, begin + std::ssize(unit));
  const auto holds_another = [&usual](std::span<const std::uint32_t> tokens) {
    return std::any_of(tokens.begin(), tokens.end(),
                       [&usual](std::uint32_t token) { return !usual.contains(token); });
  };
  const std::span<const std::uint32_t> all(lane.tokens);
  return holds_another(all.first(level.begins.front())) &&
         holds_another(all.subspan(
             std::min(all.size(), level.begins.back() + std::size_t{level.typical_length})));
}

// Whether each unit is the work of one line.
bool are_of_one_line(const Lane& lane, const RepeatLevel& level) {
  std::size_t of_one = 0;
  for (std::size_t i = 0; i + 1 < level.begins.size(); ++i) {
    const Items unit =
        Items(lane.items).subspan(level.begins[i], level.begins[i + 1] - level.begins[i]);
    of_one += std::ranges::all_of(unit, [&unit](const WorkItem& item) {
      return item.site != kNone && item.site == unit.front().site;
    });
  }
  return is_at_least(kNearlyAll, of_one, level.begins.size() - 1);
}

// Whether repeats that no noted loop brings round are no steps: nothing says that they are more than
// parts of one, or each is one statement's.
bool runs_once(RunBy by, const Loop& loop, const Lane& lane, const RepeatLevel& level) {
  if (by == RunBy::no_loop) return loop.may_be_parts || are_of_one_line(lane, level);
  return by == RunBy::one_iteration && loop.may_be_parts;
}

std::vector<std::int64_t> begins_of(const Lane& lane, const RepeatLevel& level) {
  std::vector<std::int64_t> out;
  for (const std::uint32_t begin : level.begins) out.push_back(lane.items[begin].time);
  return out;
}

}  // namespace

Loop find_period(const Activity& activity) {
  const Lane lane = busiest_lane(activity);
  const Evidence evidence = evidence_in(activity, lane);
  const std::vector<RepeatLevel> levels = levels_of(lane, evidence);
  const Choice choice = choose(levels, evidence.required);
  if (choice.level == nullptr) return {};
  const std::vector<std::int64_t> begins = begins_of(lane, *choice.level);
  Loop loop = loop_of_period(activity, begins);
  if (loop.found()) return loop;  // which tells exactly when each begins
  loop = loop_of(activity, lane, *choice.level, choice.certainty);
  loop.may_be_parts = !choice.whole && runs_a_framework(activity);
  loop.amid_others = stands_amid_others(activity, lane, *choice.level);
  loop.runs_once = runs_once(run_by(activity, begins), loop, lane, *choice.level);
  for (const RepeatLevel& level : levels) {
    if (&level == choice.level || level.explained < kLeastExplained) continue;
    loop.others.push_back(loop_of(activity, lane, level, kAmbiguous));
  }
  if (choice.certainty == kAmbiguous) {
    loop.notes.push_back(fmt::format(
        "the sequence of {} repeats at several levels ({}) and nothing tells which is the loop: "
        "the one that explains most of it is taken; --section shows another one, and a range "
        "around what you mean, named with --step-marker, settles it",
        noun_of(activity.work_kind), levels_text(levels, *choice.level)));
  }
  if (loop.may_be_parts) {
    loop.notes.emplace_back(
        "no repeat steps an optimizer or copies anything from or to the host, so each may be a "
        "part of a step (a layer of a model, a micro-batch): a range around a step, named with "
        "--step-marker, settles it");
  }
  return loop;
}

}  // namespace stepscope
