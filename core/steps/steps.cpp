// SPDX-License-Identifier: Apache-2.0
#include "core/steps/steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "core/model/losses.hpp"
#include "core/steps/capture_gaps.hpp"
#include "core/steps/finders/finders.hpp"
#include "core/steps/lost_device_work.hpp"
#include "core/steps/open_marks.hpp"
#include "core/steps/rows.hpp"
#include "core/steps/sections.hpp"
#include "core/steps/shares.hpp"
#include "core/steps/unusual/warm_up.hpp"
#include "core/steps/windows.hpp"

namespace stepscope {
namespace {

struct Found {
  Activity activity;
  Loop loop;
};

Result<Found> find_by_marker(const Trace& trace, const std::vector<ProcessId>& processes,
                             const std::string& pattern) {
  const auto marker = NamePattern::compile("--step-marker", pattern);
  if (!marker) return marker.error();
  for (ProcessId process : processes) {
    Found found{.activity = survey(trace, process)};
    found.loop = find_user_marks(found.activity, marker.value(), pattern);
    if (found.loop.found()) return found;
  }
  const std::string names = annotation_names(trace);
  return usage_error(fmt::format("--step-marker: no range matches '{}'; {}", pattern,
                                 names.empty()
                                     ? std::string("the trace has no annotations (NVTX ranges, "
                                                   "record_function), so leave the option out")
                                     : "the annotations of this trace are " + names));
}

bool marks_steps(FoundBy found_by) {
  return found_by == FoundBy::profiler_step || found_by == FoundBy::nvtx_step ||
         found_by == FoundBy::loop_nest || found_by == FoundBy::optimizer;
}

bool is_training(const Found& found) {
  return marks_steps(found.loop.found_by) && trains(found.activity, found.loop);
}

// CPU time of its threads between their samples.
std::uint64_t computed_ns(const Trace& trace, ProcessId process) {
  const Samples& samples = trace.data().samples;
  std::uint64_t sum = 0;
  for (std::size_t row = 1; row < samples.size(); ++row)
    if (samples.thread[row] == samples.thread[row - 1] &&
        trace.data().threads[samples.thread[row]].process == process &&
        samples.cpu[row] > samples.cpu[row - 1])
      sum += samples.cpu[row] - samples.cpu[row - 1];
  return sum;
}

// Where samples alone tell of two programs, one that hardly computes beside the other waits for it (a
// notebook's runner, for its kernel).
bool waits_for(const Trace& trace, const Found& best, const Found& other) {
  return best.loop.found_by == FoundBy::loop_counter &&
         other.loop.found_by == FoundBy::loop_counter &&
         !is_at_least(kHardlyAny, computed_ns(trace, best.activity.process),
                      computed_ns(trace, other.activity.process));
}

// A process that trains goes before one that marks its steps without training (a program may
// evaluate what the processes that it started have trained), and that before one in which something
// repeats (a worker that makes batches has more events than a loop that is slow), and that before
// one in which nothing does, unless it has done little beside that one: a helper that idles repeats
// something, too. The host's work does not go before the device's.
bool is_likelier(const Trace& trace, const Found& other, const Found& best) {
  if (best.loop.found_by == FoundBy::whole_trace && !marks_steps(other.loop.found_by))
    return other.loop.confidence > best.loop.confidence &&
           2 * other.activity.work.size() >= best.activity.work.size();
  if (best.loop.found_by == FoundBy::whole_trace) return true;
  const bool leaves_the_device = best.activity.work_kind == WorkKind::device_ops &&
                                 other.activity.work_kind != WorkKind::device_ops;
  if (leaves_the_device) return false;
  if (waits_for(trace, best, other)) return true;
  return marks_steps(best.loop.found_by) ? is_training(other) : marks_steps(other.loop.found_by);
}

Result<Found> find_automatically(const Trace& trace, const std::vector<ProcessId>& processes) {
  const auto found_in = [&](ProcessId process) {
    Found found{.activity = survey(trace, process)};
    found.loop = find_loop(found.activity);
    return found;
  };
  Found best = found_in(processes.front());
  for (std::size_t i = 1; i < std::min(processes.size(), kMany); ++i) {
    if (is_training(best)) break;
    const bool same_rank = trace.data().processes[processes[i]].rank ==
                           trace.data().processes[best.activity.process].rank;
    if (!same_rank && best.loop.found_by != FoundBy::whole_trace) break;
    Found other = found_in(processes[i]);
    if (is_likelier(trace, other, best)) best = std::move(other);
  }
  return best;
}

std::string ranks_text(const Trace& trace, const std::vector<ProcessId>& processes) {
  std::set<std::int32_t> ranks;
  for (const ProcessId process : processes) ranks.insert(trace.data().processes[process].rank);
  ranks.erase(-1);
  return ranks.empty() ? "the trace tells no ranks, so leave the option out"
                       : fmt::format("the trace holds ranks {}", fmt::join(ranks, ", "));
}

Result<std::vector<ProcessId>> of_rank(const Trace& trace, const std::vector<ProcessId>& processes,
                                       const std::optional<std::int32_t>& rank) {
  if (!rank) return processes;
  std::vector<ProcessId> wanted;
  std::copy_if(processes.begin(), processes.end(), std::back_inserter(wanted),
               [&](ProcessId process) { return trace.data().processes[process].rank == *rank; });
  if (!wanted.empty()) return wanted;
  return usage_error(
      fmt::format("--rank: no process of rank {}; {}", *rank, ranks_text(trace, processes)));
}

// "130 (python worker.py)", as many as a reader can choose from.
std::string processes_text(const Trace& trace, const std::vector<ProcessId>& processes) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> out;
  for (const ProcessId id : processes) {
    const Process& process = trace.data().processes[id];
    if (out.size() < kShown)
      out.push_back(process.name.empty() ? fmt::format("{}", process.pid)
                                         : fmt::format("{} ({})", process.pid, process.name));
  }
  if (processes.size() > kShown) out.push_back(fmt::format("{} more", processes.size() - kShown));
  return fmt::format("{}", fmt::join(out, ", "));
}

Result<std::vector<ProcessId>> with_pid(const Trace& trace, const std::vector<ProcessId>& processes,
                                        std::int64_t pid) {
  for (const ProcessId process : processes)
    if (trace.data().processes[process].pid == pid) return std::vector{process};
  return usage_error(fmt::format("--process: no process {} has events; the trace holds {}", pid,
                                 processes_text(trace, processes)));
}

Result<std::vector<ProcessId>> chosen_processes(const Trace& trace,
                                                const std::vector<ProcessId>& processes,
                                                const StepOptions& options) {
  if (options.rank && options.pid)
    return usage_error("--rank and --process exclude each other: both say whose steps are read");
  if (options.pid) return with_pid(trace, processes, *options.pid);
  return of_rank(trace, processes, options.rank);
}

void note_other_processes(const Trace& trace, std::vector<ProcessId> with_events, Steps& steps) {
  std::erase(with_events, steps.process);
  if (with_events.empty()) return;
  const Process& own = trace.data().processes[steps.process];
  const std::string text = fmt::format("process {}", own.pid);
  steps.notes.push_back(fmt::format(
      "steps are those of {}; {} other process{} of this trace {} left aside ({})",
      own.rank < 0 ? text : fmt::format("rank {} ({})", own.rank, text), with_events.size(),
      with_events.size() == 1 ? "" : "es", with_events.size() == 1 ? "is" : "are",
      own.rank < 0 ? "--process PID: " + processes_text(trace, with_events) : "--rank N"));
}

// Work that is in no section, where it is much, and takes long.
void note_work_outside(const Activity& activity, Steps& steps) {
  const bool says_nothing = activity.work.size() < 2;
  if (steps.sections.empty() || says_nothing) return;
  double inside = 0;
  for (const Section& section : steps.sections)
    inside += activity.share_in(section.divisions.front().host);
  const std::int64_t outside_ns = steps.outside_sections_ns();
  if (inside >= kNearlyAll || !is_at_least(1 - kNearlyAll, outside_ns, steps.recorded_ns)) return;
  steps.notes.push_back(
      fmt::format("{:.0f} % of the {} lie in no loop and are in none of these sums; to read them, "
                  "name a range there with --step-marker",
                  100 * (1 - inside), noun_of(activity.work_kind)));
}

std::string list_of(const std::vector<Section>& sections) {
  std::string out;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    for (std::size_t d = 0; d < sections[s].divisions.size(); ++d) {
      out +=
          fmt::format("{}{} ({}, {} steps)", out.empty() ? "" : ", ", name_of(SectionChoice{s, d}),
                      sections[s].kind, sections[s].divisions[d].steps);
    }
  }
  return out.empty() ? "no loop was found in this run" : "this run has " + out;
}

Result<Loop> take_section(const Activity& activity, Loop first, const StepOptions& options,
                          Steps& steps) {
  std::vector<Loop> loops = find_section_loops(activity, first);
  steps.sections = sections_of(activity, loops);
  steps.chosen = options.section.value_or(SectionChoice{});
  const auto [section, division] = steps.chosen;
  if (section < loops.size() && division == 0) return std::move(loops[section]);
  if (section < loops.size() && division <= loops[section].others.size())
    return std::move(loops[section].others[division - 1]);
  if (!options.section) return first;
  return usage_error(fmt::format("--section {}: there is none; {}", name_of(steps.chosen),
                                 list_of(steps.sections)));
}

// Host ends must not decrease, else a time could belong to two steps.
std::vector<Step> listed(const Loop& loop) {
  std::vector<Step> list;
  for (const HostStep& step : loop.steps) {
    Interval host = step.time;
    if (!list.empty()) host.end = std::max(host.end, list.back().host.end);
    list.push_back({.id = step.id, .host = host, .own_end = step.own_end, .window = host});
  }
  return list;
}

void place(const Trace& trace, Loop loop, Steps& steps) {
  steps.found_by = loop.found_by;
  steps.confidence = std::clamp(loop.confidence, 0.0, 1.0);
  steps.how = std::move(loop.how);
  steps.thread = loop.thread;
  steps.may_be_parts = loop.may_be_parts;
  steps.begin_error_ns = loop.begin_error_ns;
  steps.list = listed(loop);
  steps.notes = std::move(loop.notes);
  place_windows(trace, steps, loop.last_complete);
}

void note_recorded_times(const IntervalSet& gaps, Steps& steps) {
  const auto recorded_of = [&](Interval time) {
    const Interval part = intersect(time, steps.recorded);
    return part.length() - total_length(clip(gaps, part));
  };
  steps.recorded_ns = recorded_of(steps.recorded);
  for (Section& section : steps.sections)
    for (Division& division : section.divisions) division.recorded_ns = recorded_of(division.host);
}

bool none_lasts(const Steps& steps) {
  return std::all_of(steps.list.begin(), steps.list.end(),
                     [](const Step& step) { return step.window.empty(); });
}

// Marks at one moment divide nothing.
void take_whole_trace(const Activity& activity, Steps& steps) {
  const std::string found = std::move(steps.how);
  place(*activity.trace, find_whole_trace(activity), steps);
  steps.how = fmt::format(
      "{}, of which none has a length: the whole trace is one window and no step time is claimed; "
      "name a longer range with --step-marker",
      found);
  steps.sections.clear();
  steps.chosen = {};
}

// Where work is missing, several steps may end at one moment: the last of them holds the time of all.
void set_joined_aside(Steps& steps) {
  std::vector<std::size_t> joined;
  for (std::size_t k = 0; k < steps.list.size(); ++k) {
    const bool is_empty = steps.list[k].wall_ns() == 0;
    if (is_empty || (k > 0 && steps.list[k - 1].wall_ns() == 0)) joined.push_back(k);
  }
  set_aside_unless_all(steps, joined, "it ends with others at one moment");
}

Error nothing_to_divide(const Trace& trace) {
  const std::string path = trace.data().path.empty() ? "trace" : trace.data().path;
  const std::string why = why_nothing_recorded(trace.health().notes);
  if (!why.empty()) return bad_input(fmt::format("{}: {}{}", path, kNothingRecorded, why));
  return bad_input(
      fmt::format("{}: the trace holds no host range and no device op, so there is nothing to "
                  "divide into steps; record it again with the CPU or CUDA activity on",
                  path));
}

}  // namespace

std::string_view name_of(FoundBy found_by) {
  static constexpr std::array<std::string_view, 11> kNames = {
      "none",       "user_marker", "profiler_step", "nvtx_step",   "loop_nest",  "optimizer",
      "executable", "data_loader", "loop_counter",  "periodicity", "whole_trace"};
  return kNames[static_cast<std::size_t>(found_by)];
}

void set_aside(Step& step, std::string why) {
  step.steady = false;
  step.why_not_steady = std::move(why);
}

std::size_t Steps::steady_count() const {
  return static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(), [](const Step& step) { return step.steady; }));
}

std::size_t row_at(const Steps& steps, std::int64_t time) {
  if (steps.list.empty() || time < steps.list.front().host.begin) return steps.list.size();
  const auto after =
      std::upper_bound(steps.list.begin(), steps.list.end(), time,
                       [](std::int64_t t, const Step& step) { return t < step.host.end; });
  return static_cast<std::size_t>(after - steps.list.begin());
}

Interval stretch_of(const Steps& steps, std::size_t row) {
  const Interval host = steps.list[row].host;
  return {row == 0 ? host.begin : steps.list[row - 1].host.end, host.end};
}

bool set_aside_unless_all(Steps& steps, const std::vector<std::size_t>& rows,
                          const std::string& why) {
  std::vector<std::size_t> counted;
  for (const std::size_t row : rows)
    if (steps.list[row].steady) counted.push_back(row);
  if (counted.size() >= steps.steady_count()) return counted.empty();
  for (const std::size_t row : counted) set_aside(steps.list[row], why);
  return true;
}

std::int64_t Steps::outside_sections_ns() const {
  std::int64_t inside = 0;
  for (const Section& section : sections) inside += section.divisions.front().recorded_ns;
  return recorded_ns - inside;
}

Result<Steps> find_steps(const Trace& trace, const StepOptions& options) {
  if (options.section && !options.marker_regex.empty())
    return usage_error(
        "--section and --step-marker exclude each other: a marker says itself which "
        "stretches are steps");
  const std::vector<ProcessId> all = training_processes(trace);
  if (all.empty()) return nothing_to_divide(trace);
  const Result<std::vector<ProcessId>> processes = chosen_processes(trace, all, options);
  if (!processes) return processes.error();
  const bool is_marked = !options.marker_regex.empty();
  Result<Found> found = is_marked ? find_by_marker(trace, *processes, options.marker_regex)
                                  : find_automatically(trace, *processes);
  if (!found) return found.error();
  const Activity& activity = found->activity;
  Steps steps;
  Result<Loop> loop = is_marked ? std::move(found->loop)
                                : take_section(activity, std::move(found->loop), options, steps);
  if (!loop) return loop.error();
  steps.process = activity.process;
  steps.recorded = activity.host;
  place(trace, std::move(loop).value(), steps);
  if (none_lasts(steps) && steps.found_by != FoundBy::whole_trace)
    take_whole_trace(activity, steps);
  const IntervalSet gaps = capture_gaps(trace, steps.process);
  note_recorded_times(gaps, steps);
  note_other_processes(trace, all, steps);
  note_work_outside(activity, steps);
  close_gaps(gaps, steps);
  end_warm_up(activity, steps);
  set_gaps_aside(trace, steps);
  set_open_marks_aside(activity, steps);
  set_missing_marks_aside(trace, steps);
  set_cut_mark_aside(trace, steps);
  set_joined_aside(steps);
  set_lost_work_aside(trace, steps);
  return steps;
}

}  // namespace stepscope
