// SPDX-License-Identifier: Apache-2.0
#include "core/importers/trace_repairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/support/duration.hpp"
#include "core/support/interval.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

std::vector<bool> with_records(const TraceData& data) {
  std::vector<bool> out(data.processes.size(), false);
  for (const ThreadId thread : data.host_ranges.thread) out[data.threads[thread].process] = true;
  for (const StreamId stream : data.device_ops.stream) out[data.streams[stream].process] = true;
  return out;
}

// Returns the times of each process's samples of its main thread.
std::vector<Interval> sampled_times(const TraceData& data, std::vector<ThreadId>& main_threads) {
  std::vector<Interval> out(data.processes.size());
  main_threads.assign(data.processes.size(), kNone);
  for (std::size_t s = 0; s < data.samples.size(); ++s) {
    const Thread& thread = data.threads[data.samples.thread[s]];
    if (thread.tid != data.processes[thread.process].pid) continue;
    const std::int64_t time = data.samples.time[s];
    Interval& seen = out[thread.process];
    const bool is_first = main_threads[thread.process] == kNone;
    seen = is_first ? Interval{time, time}
                    : Interval{std::min(seen.begin, time), std::max(seen.end, time)};
    main_threads[thread.process] = data.samples.thread[s];
  }
  return out;
}

// A thread that sleeps has no samples, so the last one is not the program's end.
std::int64_t last_clock(const TraceData& data, ProcessId process) {
  std::int64_t last = 0;
  for (const ClockRecord& clock : data.clocks) {
    if (clock.process == process) last = std::max(last, clock.realtime_ns);
  }
  return last;
}

std::int64_t usual_spacing(const Samples& samples) {
  std::vector<std::int64_t> spacings;
  for (std::size_t s = 1; s < samples.size(); ++s) {
    if (samples.thread[s] == samples.thread[s - 1])
      spacings.push_back(samples.time[s] - samples.time[s - 1]);
  }
  return median(std::move(spacings));
}

void add_range(TraceData& data, ThreadId thread, Interval time) {
  HostRanges& h = data.host_ranges;
  h.begin.push_back(time.begin);
  h.end.push_back(time.end);
  h.name.push_back(data.strings.intern("Python program"));
  h.thread.push_back(thread);
  h.kind.push_back(HostKind::python_function);
  h.category.push_back(0);
  h.site.push_back(kNone);
  h.sequence.push_back(kNoSequence);
  h.forward_thread.push_back(kNone);
}

}  // namespace

void add_sampled_programs(TraceData& data) {
  if (data.samples.size() == 0) return;
  const std::vector<bool> has_records = with_records(data);
  std::vector<ThreadId> main_threads;
  const std::vector<Interval> times = sampled_times(data, main_threads);
  const bool is_all =
      std::none_of(has_records.begin(), has_records.end(), [](bool b) { return b; });
  bool any = false;
  for (ProcessId p = 0; p < data.processes.size(); ++p) {
    if (has_records[p] || main_threads[p] == kNone) continue;
    add_range(data, main_threads[p], {times[p].begin, std::max(times[p].end, last_clock(data, p))});
    any = true;
  }
  if (!any || !is_all) return;
  data.health.notes.push_back(fmt::format(
      "no call of PyTorch, CUDA or NVTX was seen in this Python program: all that is known of it "
      "are samples of its main thread, as a rule {} apart, so a library's own threads (XLA's, a "
      "BLAS's) have no records, and what they compute shows at the calling line; steps are found "
      "where a `for` loop counts or a line of it lasts several samples, and `with "
      "stepscope.step(i):` marks any",
      format_duration(static_cast<double>(usual_spacing(data.samples)))));
}

}  // namespace stepscope
