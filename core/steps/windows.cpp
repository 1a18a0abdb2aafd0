// SPDX-License-Identifier: Apache-2.0
#include "core/steps/windows.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "core/steps/activity.hpp"
#include "core/steps/capture_gaps.hpp"
#include "core/steps/lost_device_work.hpp"
#include "core/steps/rows.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kBefore = static_cast<std::size_t>(-1);

bool is_copy(DeviceOpKind kind) {
  return kind == DeviceOpKind::memcpy || kind == DeviceOpKind::memset;
}

struct StreamWork {
  std::int64_t copies_ns = 0, others_ns = 0;
  std::size_t kernels = 0;
};

std::vector<StreamWork> work_by_stream(const Trace& trace) {
  const DeviceOps& ops = trace.device_ops();
  std::vector<StreamWork> work(trace.data().streams.size());
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    StreamWork& own = work[ops.stream[op]];
    const bool copies = is_copy(ops.kind[op]);
    own.kernels += copies ? 0U : 1U;
    (copies ? own.copies_ns : own.others_ns) += ops.end[op] - ops.begin[op];
  }
  return work;
}

// The row of the step of a host time; kBefore in front of the first, list.size() behind the last.
std::size_t step_of(const Steps& steps, std::int64_t time) {
  return time < steps.list.front().host.begin ? kBefore : row_at(steps, time);
}

// Last ends of the device's work: of each step, and of what precedes the first. Side streams come
// last: what counts of them follows from the ends of all else.
class DeviceWork {
 public:
  DeviceWork(const Trace& trace, const Steps& steps)
      : trace_(trace),
        steps_(steps),
        ends_(steps.list.size(), kNever),
        roles_(stream_roles(trace)),
        gaps_(capture_gaps(trace, steps.process)) {
    for (StreamId s = 0; s < roles_.size(); ++s)
      if (trace.data().streams[s].process == steps.process) streams_.push_back(s);
    add_streams(StreamRole::main);
    for (std::size_t k = 0; k < steps.list.size(); ++k) {
      const std::int64_t before = k == 0 ? kNever : own_ends_.back();
      own_ends_.push_back(std::max({before, steps.list[k].host.end, ends_[k]}));
    }
    add_streams(StreamRole::side);
  }

  std::int64_t before() const { return before_; }
  std::int64_t end_of(std::size_t step) const { return ends_[step]; }

 private:
  // Whether most ops have a launch record, from the first one that has: what comes before it may have
  // been launched before the trace begins.
  bool is_linked(std::span<const DeviceOpId> ops) const {
    const auto has_launch = [this](DeviceOpId op) { return trace_.launch_of(op) != kNone; };
    const auto first = std::find_if(ops.begin(), ops.end(), has_launch);
    return first != ops.end() &&
           2 * std::count_if(first, ops.end(), has_launch) >= ops.end() - first;
  }

  // Calls f(op, step) for what may extend a step.
  template <class F>
  void each_op(StreamId stream, F f) const {
    const std::span<const DeviceOpId> ops = trace_.ops_of(stream);
    const bool linked = is_linked(ops);
    std::size_t step = kBefore;
    std::int64_t last_linked = kNever;
    for (DeviceOpId op : ops) {
      const CallId call = trace_.launch_of(op);
      const std::int64_t begin = trace_.device_ops().begin[op];
      if (call != kNone) step = step_of(steps_, host_time_of(trace_, op)), last_linked = begin;
      // A stream of which most launches were not recorded: the op's own time is all there is.
      if (!linked) step = step_of(steps_, begin);
      const bool unseen = call == kNone && may_be_of_a_gap(linked ? last_linked : begin, begin);
      if (!unseen) f(op, step);
    }
  }

  void add_streams(StreamRole role) {
    for (const StreamId stream : streams_) {
      if (roles_[stream] != role) continue;
      each_op(stream, [&](DeviceOpId op, std::size_t step) {
        const std::int64_t end = trace_.device_ops().end[op];
        if (role != StreamRole::side || !outlasts_next_step(step, end)) add(step, end);
      });
    }
  }

  bool outlasts_next_step(std::size_t step, std::int64_t end) const {
    const std::size_t next = step == kBefore ? 0 : step + 1;
    return next < own_ends_.size() && end > own_ends_[next];
  }

  // An op without a launch: the call was in a gap that the op lies in, or that ended since the
  // stream's last op with one.
  bool may_be_of_a_gap(std::int64_t last_linked, std::int64_t begin) const {
    const auto next = std::upper_bound(gaps_.begin(), gaps_.end(), last_linked,
                                       [](std::int64_t t, const Interval& g) { return t < g.end; });
    return next != gaps_.end() && (next->end <= begin || next->contains(begin));
  }

  void add(std::size_t step, std::int64_t end) {
    if (step == kBefore) before_ = std::max(before_, end);
    if (step < ends_.size()) ends_[step] = std::max(ends_[step], end);
  }

  const Trace& trace_;
  const Steps& steps_;
  std::vector<std::int64_t> ends_;
  std::vector<std::int64_t> own_ends_;  // without side streams; they do not decrease
  std::int64_t before_ = kNever;
  std::vector<StreamId> streams_;  // the process's streams
  std::vector<StreamRole> roles_;
  IntervalSet gaps_;
};

bool device_work_is_cut(const Trace& trace, const Steps& steps) {
  if (trace.device_ops().size() == 0) return false;
  const std::vector<StepLaunches> launches = launches_by_step(trace, steps);
  const StepLaunches& last = launches.back();
  const bool usual =
      std::any_of(launches.begin(), launches.end() - 1,
                  [&last](const StepLaunches& step) { return step.unrecorded >= last.unrecorded; });
  return last.unrecorded > 0 && !last.last_recorded && !usual;
}

}  // namespace

std::vector<StreamRole> stream_roles(const Trace& trace) {
  const std::vector<Stream>& streams = trace.data().streams;
  const std::vector<StreamWork> work = work_by_stream(trace);
  const auto kernels_of = [&](StreamId s) { return std::pair{work[s].kernels, work[s].others_ns}; };
  std::map<std::pair<ProcessId, std::uint32_t>, StreamId> main_of;
  std::vector<StreamRole> roles(streams.size(), StreamRole::side);
  for (StreamId s = 0; s < streams.size(); ++s) {
    if (work[s].copies_ns > work[s].others_ns) roles[s] = StreamRole::prefetch;
    StreamId& most = main_of.try_emplace({streams[s].process, streams[s].device}, s).first->second;
    if (kernels_of(s) > kernels_of(most)) most = s;
  }
  for (const auto& [device, stream] : main_of) roles[stream] = StreamRole::main;
  return roles;
}

void place_windows(const Trace& trace, Steps& steps, bool last_complete) {
  if (steps.list.empty()) return;
  const DeviceWork work(trace, steps);
  std::int64_t end = kNever;
  for (std::size_t k = 0; k < steps.list.size(); ++k) {
    Step& step = steps.list[k];
    const std::int64_t begin = end;
    end = std::max({end, step.host.end, work.end_of(k)});
    step.window = {k == 0 ? std::min(end, std::max(step.host.begin, work.before())) : begin, end};
  }
  steps.list.back().wall_known = last_complete && !device_work_is_cut(trace, steps);
}

}  // namespace stepscope
