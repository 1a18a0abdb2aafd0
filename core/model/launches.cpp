// SPDX-License-Identifier: Apache-2.0
#include "core/model/launches.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace stepscope {
namespace {

// Processes whose recording was switched on by a plan, now and then.
std::unordered_set<ProcessId> switched_processes(const TraceData& data) {
  const Counters& c = data.counters;
  std::unordered_set<ProcessId> processes;
  for (std::size_t row = 0; row < c.size(); ++row) {
    if (data.strings.view(c.track[row]) == kCaptureTrack) processes.insert(c.process[row]);
  }
  return processes;
}

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
  }

  // kNone: no call of that id, or none that can have launched it.
  CallId launch_of(DeviceOpId op) const {
    const ProcessId process = data_.streams[data_.device_ops.stream[op]].process;
    const std::uint64_t key = key_of(process, data_.device_ops.correlation[op]);
    const auto found = first_.find(key);
    if (found == first_.end()) return kNone;
    const std::int64_t time = data_.device_ops.begin[op];
    const auto again = again_.empty() ? again_.end() : again_.find(key);
    if (again != again_.end()) return last_before(time, again->second);
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

  const TraceData& data_;
  bool ours_;  // other tools' clocks may differ by more
  std::unordered_map<std::uint64_t, CallId> first_;
  // Of ids that come again, which in a run of many windows they do thousands of times: all calls,
  // in order of begin.
  std::unordered_map<std::uint64_t, std::vector<CallId>> again_;
};

// What was launched while the hooks were still off, or off again, has an id of a call of an earlier
// stretch: it would be out of its stream's order.
class InOrder {
 public:
  explicit InOrder(const TraceData& data)
      : data_(data), switched_(switched_processes(data)), last_(data.streams.size(), kNever) {}

  // Ops in order of begin.
  CallId checked(DeviceOpId op, CallId call) {
    const StreamId stream = data_.device_ops.stream[op];
    if (call == kNone || !switched_.contains(data_.streams[stream].process)) return call;
    const std::int64_t launched = data_.host_ranges.begin[data_.calls.range[call]];
    if (launched < last_[stream] - kThreadsSlack_ns) return kNone;
    last_[stream] = std::max(last_[stream], launched);
    return call;
  }

 private:
  static constexpr std::int64_t kThreadsSlack_ns = 1'000'000;  // two threads may share a stream
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min() / 2;

  const TraceData& data_;
  std::unordered_set<ProcessId> switched_;
  std::vector<std::int64_t> last_;  // launch of the stream's last op
};

}  // namespace

std::vector<CallId> link_launches(const TraceData& data) {
  const CallsById calls(data);
  InOrder in_order(data);
  std::vector<CallId> launch_of(data.device_ops.size(), kNone);
  for (DeviceOpId op = 0; op < launch_of.size(); ++op)
    launch_of[op] = in_order.checked(op, calls.launch_of(op));
  return launch_of;
}

}  // namespace stepscope
