// SPDX-License-Identifier: Apache-2.0
#include "core/model/row_order.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace stepscope {
namespace {

// When recording was switched off by a plan, by process.
class Closings {
 public:
  explicit Closings(const TraceData& data) {
    const Counters& c = data.counters;
    for (std::size_t row = 0; row < c.size(); ++row) {
      if (c.value[row] <= 0 && data.strings.view(c.track[row]) == kCaptureTrack)
        times_[c.process[row]].push_back(c.time[row]);
    }
    for (auto& [process, times] : times_) std::sort(times.begin(), times.end());
  }

  bool any_of(ProcessId process) const { return times_.contains(process); }
  bool any_between(ProcessId process, std::int64_t from, std::int64_t to) const {
    const auto times = times_.find(process);
    if (times == times_.end()) return false;
    const auto next = std::upper_bound(times->second.begin(), times->second.end(), from);
    return next != times->second.end() && *next <= to;
  }

 private:
  std::unordered_map<ProcessId, std::vector<std::int64_t>> times_;
};

class CallsById {
 public:
  explicit CallsById(const TraceData& data)
      : data_(data), ours_(data.source == SourceKind::stepscope) {
    const Calls& c = data.calls;
    first_.reserve(c.size());
    for (CallId call = 0; call < c.size(); ++call) {
      if (c.correlation[call] != 0) add(call);
    }
    for (auto& [key, calls] : again_) sort(calls);
    if (!ours_) count_ops();
  }

  // Ops in order of begin. kNone: no call of that id, or none that can have launched it.
  CallId launch_of(DeviceOpId op) {
    const ProcessId process = data_.streams[data_.device_ops.stream[op]].process;
    const std::uint64_t key = key_of(process, data_.device_ops.correlation[op]);
    const auto found = first_.find(key);
    if (found == first_.end()) return kNone;
    const std::int64_t time = data_.device_ops.begin[op];
    const auto again = again_.empty() ? again_.end() : again_.find(key);
    if (again != again_.end()) {
      std::size_t& next = next_[key];
      return ops_.contains(key) && ops_[key] == again->second.size()
                 ? again->second[next++]
                 : last_before(time, again->second);
    }
    const bool plausible = !ours_ || begin(found->second) <= time + kClockSlack_ns;
    return plausible ? found->second : kNone;
  }

 private:
  // Device times are mapped to the host's.
  static constexpr std::int64_t kClockSlack_ns = 1'000'000, kNearSlack_ns = 20'000;

  static std::uint64_t key_of(ProcessId process, std::uint32_t correlation) {
    return (std::uint64_t{process} << 32U) | correlation;
  }
  std::int64_t begin(CallId call) const { return data_.host_ranges.begin[data_.calls.range[call]]; }

  void sort(std::vector<CallId>& calls) const {
    std::stable_sort(calls.begin(), calls.end(),
                     [this](CallId a, CallId b) { return begin(a) < begin(b); });
  }

  CallId last_before(std::int64_t time, const std::vector<CallId>& calls) const {
    const auto behind =
        std::upper_bound(calls.begin(), calls.end(), time + kNearSlack_ns,
                         [this](std::int64_t limit, CallId call) { return limit < begin(call); });
    return behind == calls.begin() ? kNone : *(behind - 1);
  }

  void add(CallId call) {
    const RangeId range = data_.calls.range[call];
    const ProcessId process = data_.threads[data_.host_ranges.thread[range]].process;
    const std::uint64_t key = key_of(process, data_.calls.correlation[call]);
    const auto [known, fresh] = first_.emplace(key, call);
    if (fresh) return;
    const RangeId outer = data_.calls.range[known->second];
    const bool inside = data_.host_ranges.begin[range] < data_.host_ranges.end[outer] &&
                        data_.host_ranges.begin[outer] <= data_.host_ranges.begin[range];
    if (inside) return;
    std::vector<CallId>& calls = again_[key];
    if (calls.empty()) calls.push_back(known->second);
    calls.push_back(call);
  }

  void count_ops() {
    const DeviceOps& d = data_.device_ops;
    for (DeviceOpId op = 0; op < d.size() && !again_.empty(); ++op) {
      const std::uint64_t key = key_of(data_.streams[d.stream[op]].process, d.correlation[op]);
      if (again_.contains(key)) ++ops_[key];
    }
  }

  const TraceData& data_;
  bool ours_;  // other tools' clocks may differ by more
  std::unordered_map<std::uint64_t, CallId> first_;
  // By id that is used again, as ids are thousands of times in a run of many windows: all its
  // calls, in order of begin.
  std::unordered_map<std::uint64_t, std::vector<CallId>> again_;
  // In other tools' traces, where as many ops have the id as calls: the n-th op is of the n-th call.
  std::unordered_map<std::uint64_t, std::size_t> ops_, next_;
};

// Rejects wrong links. An op that was launched while the hooks were off may carry the id of a call
// of an earlier stretch; that call would be out of its stream's order, or have a second op although
// it makes one.
class Plausible {
 public:
  explicit Plausible(const TraceData& data)
      : data_(data),
        closings_(data),
        last_(data.streams.size(), kNever),
        has_op_(data.calls.size(), false) {}

  // Ops in order of begin.
  CallId checked(DeviceOpId op, CallId call) {
    const StreamId stream = data_.device_ops.stream[op];
    const ProcessId process = data_.streams[stream].process;
    if (call == kNone || !closings_.any_of(process)) return call;
    const std::int64_t launched = data_.host_ranges.begin[data_.calls.range[call]];
    if (launched < last_[stream] - kThreadsSlack_ns) return kNone;
    const bool beyond = closings_.any_between(process, launched, data_.device_ops.begin[op]);
    if (beyond && !may_launch_late(op, call)) return kNone;
    last_[stream] = std::max(last_[stream], launched);
    has_op_[call] = true;
    return call;
  }

 private:
  static constexpr std::int64_t kThreadsSlack_ns = 1'000'000;  // two threads may share a stream
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min() / 2;

  bool may_launch_late(DeviceOpId op, CallId call) const {
    const bool of_graph = data_.device_ops.graph[op] != 0;
    return is_launch(data_.calls.api[call]) && (of_graph || !has_op_[call]);
  }

  const TraceData& data_;
  Closings closings_;
  std::vector<std::int64_t> last_;  // launch of the stream's last op
  std::vector<bool> has_op_;        // by call
};

// A kernel's launch puts one on each device. More ops under its number have it from elsewhere, as
// all collectives of some profilers have.
void unlink_further_ops(const TraceData& data, std::vector<CallId>& launch_of) {
  const DeviceOps& d = data.device_ops;
  std::vector<std::uint32_t> device_of(data.calls.size(), kNone);
  for (DeviceOpId op = 0; op < launch_of.size(); ++op) {
    const CallId call = launch_of[op];
    const bool single = call != kNone && data.calls.api[call] == ApiKind::launch_kernel &&
                        d.kind[op] == DeviceOpKind::kernel && d.graph[op] == 0;
    if (!single) continue;
    const std::uint32_t device = data.streams[d.stream[op]].device;
    if (device_of[call] == device) launch_of[op] = kNone;
    device_of[call] = device;
  }
}

}  // namespace

std::vector<CallId> link_launches(const TraceData& data) {
  CallsById calls(data);
  Plausible plausible(data);
  std::vector<CallId> launch_of(data.device_ops.size(), kNone);
  for (DeviceOpId op = 0; op < launch_of.size(); ++op)
    launch_of[op] = plausible.checked(op, calls.launch_of(op));
  if (data.source != SourceKind::stepscope) unlink_further_ops(data, launch_of);
  return launch_of;
}

}  // namespace stepscope
