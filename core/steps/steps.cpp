// SPDX-License-Identifier: Apache-2.0
#include "core/steps/steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/model/nothing_recorded.hpp"
#include "core/steps/capture_gaps.hpp"
#include "core/steps/loop.hpp"
#include "core/steps/user_marker.hpp"
#include "core/steps/warm_up.hpp"
#include "core/steps/windows.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kMostProcesses = 16;

struct Found {
  Activity activity;
  Loop loop;
};

Result<Found> find_by_marker(const Trace& trace, const std::vector<ProcessId>& processes,
                             const std::string& pattern) {
  const Result<std::regex> marker = compile_marker(pattern);
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

// The likeliest process in which something repeats; the likeliest of all where nothing does.
Found find_automatically(const Trace& trace, const std::vector<ProcessId>& processes) {
  Found best{.activity = survey(trace, processes.front())};
  best.loop = find_loop(best.activity);
  for (std::size_t i = 1; i < std::min(processes.size(), kMostProcesses); ++i) {
    if (best.loop.found_by != FoundBy::whole_trace) break;
    Found other{.activity = survey(trace, processes[i])};
    other.loop = find_loop(other.activity);
    if (other.loop.confidence > best.loop.confidence) best = std::move(other);
  }
  return best;
}

std::string process_text(const Process& process) {
  return process.rank >= 0 ? fmt::format("rank {} (process {})", process.rank, process.pid)
                           : fmt::format("process {}", process.pid);
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

void note_other_processes(const Trace& trace, std::size_t with_events, Steps& steps) {
  if (with_events < 2) return;
  const Process& own = trace.data().processes[steps.process];
  steps.notes.push_back(
      fmt::format("steps are those of {}; {} other processes of this trace are left aside{}",
                  process_text(own), with_events - 1, own.rank < 0 ? "" : " (--rank N)"));
}

// A program may do more than its loop: several loops one after the other, an evaluation behind it.
void note_work_outside(const Activity& activity, const Loop& loop, Steps& steps) {
  constexpr double kMuch = 0.1;
  if (loop.steps.size() < 2) return;
  const Interval inside = loop.time();
  const auto tell = [&](Interval outside, std::string_view where) {
    const double share = activity.share_in(outside);
    if (share <= kMuch) return;
    steps.notes.push_back(fmt::format(
        "{:.0f} % of the {} lie {} this loop and are in none of these sums; to read them, "
        "name a range there with --step-marker",
        100 * share, noun_of(activity.work_kind), where));
  };
  tell({activity.host.begin, inside.begin}, "before");
  tell({inside.end, activity.host.end + 1}, "behind");
}

// Host ends must not decrease, else a time could belong to two steps.
std::vector<Step> listed(const Loop& loop) {
  std::vector<Step> list;
  for (const HostStep& step : loop.steps) {
    Interval host = step.time;
    if (!list.empty()) host.end = std::max(host.end, list.back().host.end);
    list.push_back({.id = step.id, .host = host, .window = host});
  }
  return list;
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
  switch (found_by) {
    case FoundBy::none:
      return "none";
    case FoundBy::user_marker:
      return "user_marker";
    case FoundBy::profiler_step:
      return "profiler_step";
    case FoundBy::nvtx_step:
      return "nvtx_step";
    case FoundBy::optimizer:
      return "optimizer";
    case FoundBy::executable:
      return "executable";
    case FoundBy::data_loader:
      return "data_loader";
    case FoundBy::periodicity:
      return "periodicity";
    case FoundBy::whole_trace:
      return "whole_trace";
  }
  return "none";
}

std::size_t Steps::steady_count() const {
  return static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(), [](const Step& step) { return step.steady; }));
}

Result<Steps> find_steps(const Trace& trace, const StepOptions& options) {
  const std::vector<ProcessId> all = training_processes(trace);
  if (all.empty()) {
    return nothing_to_divide(trace);
  }
  const Result<std::vector<ProcessId>> wanted = of_rank(trace, all, options.rank);
  if (!wanted) return wanted.error();
  const std::vector<ProcessId>& processes = *wanted;
  Found found;
  if (options.marker_regex.empty()) {
    found = find_automatically(trace, processes);
  } else {
    Result<Found> marked = find_by_marker(trace, processes, options.marker_regex);
    if (!marked) return marked.error();
    found = std::move(marked).value();
  }
  Loop& loop = found.loop;
  Steps steps{.found_by = loop.found_by,
              .confidence = std::clamp(loop.confidence, 0.0, 1.0),
              .how = std::move(loop.how),
              .process = found.activity.process,
              .thread = loop.thread,
              .list = listed(loop),
              .notes = std::move(loop.notes)};
  note_other_processes(trace, all.size(), steps);
  note_work_outside(found.activity, loop, steps);
  place_windows(trace, steps, loop.last_complete);
  const IntervalSet gaps = capture_gaps(trace, steps.process);
  close_gaps(gaps, steps);
  end_warm_up(found.activity, steps);
  set_gaps_aside(gaps, steps);
  return steps;
}

}  // namespace stepscope
