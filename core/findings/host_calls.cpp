// SPDX-License-Identifier: Apache-2.0
#include "core/findings/host_calls.hpp"

#include <algorithm>
#include <limits>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {
namespace {

bool issues_or_waits(ApiKind api) {
  return is_launch(api) || is_sync(api);
}

// A thread's calls, read in order.
class CallReader {
 public:
  CallReader(const JudgedRun& run, bool is_loop, HostCalls& out)
      : run_(run), is_loop_(is_loop), out_(out) {
    for (const char* name : {"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero"})
      read_ops_.push_back(run.trace.data().strings.find(name));
  }

  void read(CallId call) {
    const Calls& calls = run_.trace.calls();
    const HostRanges& h = run_.trace.host_ranges();
    const RangeId range = calls.range[call];
    const Interval time{h.begin[range], h.end[range]};
    const ApiKind api = calls.api[call];
    if (is_sync(api)) {
      sync(range, time);
    } else if (issues_or_waits(api)) {
      close();
      const DeviceOpId op = copy_of(call);
      if (op != kNone) copy(op, range, time);
    } else {
      return;
    }
    last_end_ = time.end;
  }

  void close() {
    if (open_ && waited_) out_.waits.push_back(wait_);
    if (open_ && is_loop_ && upload_.op != kNone) {
      upload_.time = wait_.time;
      out_.uploads.push_back(upload_);
    }
    open_ = waited_ = false;
    upload_ = {};
  }

 private:
  // Between host and device; kNone for other calls.
  DeviceOpId copy_of(CallId call) const {
    const DeviceOps& d = run_.trace.device_ops();
    for (const DeviceOpId op : run_.trace.ops_launched_by(call)) {
      if (d.copy_kind[op] == CopyKind::host_to_device ||
          d.copy_kind[op] == CopyKind::device_to_host)
        return op;
    }
    return kNone;
  }

  void copy(DeviceOpId op, RangeId range, Interval time) {
    const DeviceOps& d = run_.trace.device_ops();
    const bool to_device = d.copy_kind[op] == CopyKind::host_to_device;
    const bool pageable = to_device && d.source_memory[op] == MemoryKind::pageable;
    const std::uint64_t bytes = d.bytes[op] == kUnknownBytes ? 0 : d.bytes[op];
    const PhaseId phase = run_.attribution.ops[op].phase;
    open_ = true;
    waited_ = d.end[op] <= time.end;
    wait_ = {
        time, to_device ? WaitKind::upload : WaitKind::read, run_.sites[range], phase, range, op,
        bytes};
    if (!to_device) {
      wait_.time = with_its_op(range, time);
      return;
    }
    const std::int64_t since = std::min(last_end_, time.begin);
    upload_ = {{since, time.begin}, time, wait_.site, phase, range, op, bytes, pageable};
  }

  // Returns the time of a read with the operation that does nothing else.
  Interval with_its_op(RangeId range, Interval time) const {
    const HostRanges& h = run_.trace.host_ranges();
    for (RangeId op = h.parent[range]; op != kNone; op = h.parent[op]) {
      if (std::find(read_ops_.begin(), read_ops_.end(), h.name[op]) == read_ops_.end()) break;
      time = {std::min(time.begin, h.begin[op]), std::max(time.end, h.end[op])};
    }
    return time;
  }

  // Adds a synchronisation; behind a copy with nothing issued in between it is the copy's.
  void sync(RangeId range, Interval time) {
    if (!open_) {
      wait_ = {time, WaitKind::sync, run_.sites[range], 0, range, kNone, 0};
      open_ = true;
    }
    waited_ = true;
    wait_.time.end = std::max(wait_.time.end, time.end);
  }

  const JudgedRun& run_;
  bool is_loop_;
  HostCalls& out_;
  bool open_ = false;
  bool waited_ = false;
  HostWait wait_;
  Upload upload_;
  std::vector<StringId> read_ops_;
  std::int64_t last_end_ = std::numeric_limits<std::int64_t>::max();
};

// The loop's thread and the autograd engine's of its process.
std::vector<bool> acting_threads(const JudgedRun& run) {
  const TraceData& data = run.trace.data();
  std::vector<bool> acts(data.threads.size(), false);
  for (RangeId r = 0; r < data.host_ranges.size(); ++r) {
    const ThreadId thread = data.host_ranges.thread[r];
    if (data.host_ranges.kind[r] == HostKind::backward_node &&
        data.threads[thread].process == run.steps.process)
      acts[thread] = true;
  }
  if (run.steps.thread < acts.size()) acts[run.steps.thread] = true;
  return acts;
}

// Visits are by begin within a thread only: the innermost at a time is the one that began last.
void place_syncs(const JudgedRun& run, std::vector<HostWait>& waits) {
  std::vector<PhaseVisit> visits = run.attribution.visits;
  std::stable_sort(visits.begin(), visits.end(), [](const PhaseVisit& a, const PhaseVisit& b) {
    return a.time.begin < b.time.begin;
  });
  std::vector<PhaseVisit> open;
  auto next = visits.begin();
  for (HostWait& wait : waits) {
    for (; next != visits.end() && next->time.begin <= wait.time.begin; ++next) {
      while (!open.empty() && open.back().time.end <= next->time.begin) open.pop_back();
      open.push_back(*next);
    }
    while (!open.empty() && open.back().time.end <= wait.time.begin) open.pop_back();
    if (wait.op == kNone && !open.empty()) wait.phase = open.back().phase;
  }
}

}  // namespace

HostCalls host_calls(const JudgedRun& run) {
  HostCalls out;
  const Calls& calls = run.trace.calls();
  const HostRanges& h = run.trace.host_ranges();
  const std::vector<bool> acts = acting_threads(run);
  std::size_t call = 0;
  while (call < calls.size()) {
    const ThreadId thread = h.thread[calls.range[call]];
    CallReader reader(run, thread == run.steps.thread, out);
    for (; call < calls.size() && h.thread[calls.range[call]] == thread; ++call) {
      if (acts[thread]) reader.read(static_cast<CallId>(call));
    }
    reader.close();
  }
  std::stable_sort(out.waits.begin(), out.waits.end(), [](const HostWait& a, const HostWait& b) {
    return a.time.begin < b.time.begin;
  });
  place_syncs(run, out.waits);
  return out;
}

}  // namespace stepscope::rules
