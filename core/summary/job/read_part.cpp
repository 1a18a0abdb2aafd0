// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/read_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace stepscope::job {
namespace {

std::map<std::int32_t, std::size_t> processes_by_rank(const Trace& trace) {
  std::set<ProcessId> with_events;
  for (const ThreadId thread : trace.host_ranges().thread)
    with_events.insert(trace.data().threads[thread].process);
  for (const StreamId stream : trace.device_ops().stream)
    with_events.insert(trace.data().streams[stream].process);
  std::map<std::int32_t, std::size_t> out;
  for (const ProcessId process : with_events) {
    const std::int32_t rank = trace.data().processes[process].rank;
    if (rank >= 0) out[rank] += 1;
  }
  return out;
}

RankPart read_one(const Trace& trace, std::int32_t rank, std::size_t processes,
                  const JobOptions& options, Owners& owners) {
  RankPart out{.rank = rank};
  if (processes > 1)
    out.notes.push_back(
        fmt::format("rank {} was recorded by {} processes: the one that steps most like a "
                    "training loop counts",
                    rank, processes));
  auto run = read_run(trace, rank, options);
  if (!run) {
    out.notes.push_back(fmt::format("rank {} is left out: {}", rank, run.error().message));
  } else if (run->summary.partition.steps_counted == 0) {
    out.notes.push_back(fmt::format("rank {} is left out: none of its steps counts", rank));
  } else {
    out.record = read_rank(trace, run->steps, run->attribution, owners);
    out.summary = std::move(run->summary);
  }
  return out;
}

}  // namespace

Result<RankRun> read_run(const Trace& trace, std::int32_t rank, const JobOptions& options) {
  auto steps = find_steps(
      trace, {.marker_regex = options.step_marker, .rank = rank, .section = options.section});
  if (!steps) return steps.error();
  if (steps->found_by == FoundBy::whole_trace) return bad_input("no steps were found in it");
  auto attribution = attribute(trace, *steps, {.phase_regex = options.phase});
  if (!attribution) return attribution.error();
  Summary summary = summarize(trace, *steps, *attribution, options.summary);
  return RankRun{std::move(*steps), std::move(*attribution), std::move(summary)};
}

JobPart read_part(const Trace& trace, const JobOptions& options) {
  JobPart out;
  out.is_own_recording = trace.data().source == SourceKind::stepscope;
  for (const Process& process : trace.data().processes)
    out.world_size = std::max(out.world_size, process.world_size);
  for (const auto& [rank, processes] : processes_by_rank(trace)) {
    out.ranks.push_back(read_one(trace, rank, processes, options, out.owners));
    if (out.ranks.back().record) out.events = out.ranks.back().summary.run.events;
  }
  return out;
}

}  // namespace stepscope::job
