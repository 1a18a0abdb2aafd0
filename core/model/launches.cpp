// SPDX-License-Identifier: Apache-2.0
#include "core/model/launches.hpp"

#include <algorithm>
#include <unordered_map>

namespace stepscope {
namespace {

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

}  // namespace

std::vector<CallId> link_launches(const TraceData& data) {
  const CallsById calls(data);
  std::vector<CallId> launch_of(data.device_ops.size(), kNone);
  for (DeviceOpId op = 0; op < launch_of.size(); ++op) launch_of[op] = calls.launch_of(op);
  return launch_of;
}

}  // namespace stepscope
