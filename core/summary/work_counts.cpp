// SPDX-License-Identifier: Apache-2.0
#include "core/summary/work_counts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace stepscope {
namespace {

enum Counter : std::uint8_t {
  kKernels,
  kLaunches,
  kGraphLaunches,
  kHostSyncs,
  kAllocations,
  kCopiesH2d,
  kCopiesD2h,
  kCopiesD2d,
  kBytesH2d,
  kBytesD2h,
  kBytesD2d,
  kMemsets,
  kCpuOps,
  kCounters
};

constexpr std::array<std::string_view, kCounters> kNames = {
    "kernels",    "launches",   "graph_launches", "host_syncs", "allocations",
    "copies_h2d", "copies_d2h", "copies_d2d",     "bytes_h2d",  "bytes_d2h",
    "bytes_d2d",  "memsets",    "cpu_ops"};

using Counts = std::array<std::uint64_t, kCounters>;

// The step in which the host was at a time: from its begin to the next one's begin; the last to its
// end.
class HostSteps {
 public:
  explicit HostSteps(const Steps& steps) {
    for (const Step& step : steps.list) begins_.push_back(step.host.begin);
    end_ = steps.list.empty() ? 0 : steps.list.back().host.end;
  }

  std::optional<std::size_t> of(std::int64_t time) const {
    if (begins_.empty() || time < begins_.front() || time >= end_) return std::nullopt;
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), time);
    return static_cast<std::size_t>(after - begins_.begin()) - 1;
  }

 private:
  std::vector<std::int64_t> begins_;
  std::int64_t end_ = 0;
};

class Tally {
 public:
  Tally(const Trace& trace, const Steps& steps)
      : trace_(trace), process_(steps.process), host_(steps), by_step_(steps.list.size()) {}

  void add_calls() {
    for (CallId call = 0; call < trace_.calls().size(); ++call) {
      if (Counts* counts = counts_at(trace_.calls().range[call]))
        add_call(trace_.calls().api[call], *counts);
    }
  }

  void add_ops() {
    for (DeviceOpId op = 0; op < trace_.device_ops().size(); ++op) {
      if (trace_.data().streams[trace_.device_ops().stream[op]].process != process_) continue;
      const CallId call = trace_.launch_of(op);
      const std::int64_t time = call == kNone
                                    ? trace_.device_ops().begin[op]
                                    : trace_.host_ranges().begin[trace_.calls().range[call]];
      const auto step = host_.of(time);
      add_op(op, step ? by_step_[*step] : outside_);
    }
  }

  void add_cpu_ops() {
    for (RangeId range = 0; range < trace_.host_ranges().size(); ++range) {
      if (trace_.host_ranges().kind[range] != HostKind::op) continue;
      if (Counts* counts = counts_at(range)) ++(*counts)[kCpuOps];
    }
  }

  const std::vector<Counts>& by_step() const { return by_step_; }

  std::uint64_t in_recording(std::size_t counter) const {
    std::uint64_t sum = outside_[counter];
    for (const Counts& step : by_step_) sum += step[counter];
    return sum;
  }

 private:
  Counts* counts_at(RangeId range) {
    const ThreadId thread = trace_.host_ranges().thread[range];
    if (trace_.data().threads[thread].process != process_) return nullptr;
    const auto step = host_.of(trace_.host_ranges().begin[range]);
    return step ? &by_step_[*step] : &outside_;
  }

  static void add_call(ApiKind api, Counts& counts) {
    if (api == ApiKind::launch_kernel) ++counts[kLaunches];
    if (api == ApiKind::launch_graph) ++counts[kGraphLaunches];
    if (is_sync(api) || api == ApiKind::memcpy_blocking) ++counts[kHostSyncs];
    if (api == ApiKind::alloc_device || api == ApiKind::alloc_async || api == ApiKind::alloc_host)
      ++counts[kAllocations];
  }

  void add_op(DeviceOpId op, Counts& counts) const {
    const DeviceOps& ops = trace_.device_ops();
    if (ops.kind[op] == DeviceOpKind::kernel) ++counts[kKernels];
    if (ops.kind[op] == DeviceOpKind::memset) ++counts[kMemsets];
    if (ops.kind[op] == DeviceOpKind::memcpy) add_copy(op, counts);
  }

  void add_copy(DeviceOpId op, Counts& counts) const {
    const CopyKind kind = trace_.device_ops().copy_kind[op];
    const std::uint64_t bytes = trace_.device_ops().bytes[op];
    const auto add = [&](Counter copies, Counter sum) {
      ++counts[copies];
      if (bytes != kUnknownBytes) counts[sum] += bytes;
    };
    if (kind == CopyKind::host_to_device) add(kCopiesH2d, kBytesH2d);
    if (kind == CopyKind::device_to_host) add(kCopiesD2h, kBytesD2h);
    if (kind == CopyKind::device_to_device || kind == CopyKind::peer) add(kCopiesD2d, kBytesD2d);
  }

  const Trace& trace_;
  ProcessId process_;
  HostSteps host_;
  std::vector<Counts> by_step_;
  Counts outside_{};
};

bool was_recorded(const Collected& collected, std::size_t counter) {
  switch (counter) {
    case kLaunches:
    case kGraphLaunches:
    case kHostSyncs:
    case kAllocations:
      return collected.api_calls;
    case kCpuOps:
      return collected.framework_ops;
    default:
      return collected.device_ops;
  }
}

}  // namespace

std::vector<std::string_view> work_count_names() {
  return {kNames.begin(), kNames.end()};
}

std::vector<WorkCount> count_work(const Trace& trace, const Steps& steps,
                                  const std::vector<std::uint32_t>& counted) {
  if (counted.empty()) return {};
  Tally tally(trace, steps);
  tally.add_calls();
  tally.add_ops();
  tally.add_cpu_ops();
  std::vector<WorkCount> out;
  for (std::size_t counter = 0; counter < kCounters; ++counter) {
    if (!was_recorded(trace.collected(), counter)) continue;
    WorkCount row{.name = std::string(kNames[counter]),
                  .least_a_step = ~std::uint64_t{0},
                  .in_recording = tally.in_recording(counter)};
    for (const std::uint32_t step : counted) {
      const std::uint64_t count = tally.by_step()[step][counter];
      row.total += count;
      row.least_a_step = std::min(row.least_a_step, count);
      row.most_a_step = std::max(row.most_a_step, count);
    }
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace stepscope
