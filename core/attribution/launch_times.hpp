// SPDX-License-Identifier: Apache-2.0
// What a process's launches show about its machine: the latency of a launch, the device's own time
// between two ops, how many launches may be outstanding, and which calls were held up by that or
// loaded their kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

class LaunchTimes {
 public:
  // `ops` are the process's by begin; `before_in_stream` is by DeviceOpId. Both must outlive this.
  LaunchTimes(const Trace& trace, ProcessId process, const std::vector<DeviceOpId>& ops,
              const std::vector<DeviceOpId>& before_in_stream);

  // Median of (op begin - call end) over kernel launches into an empty stream.
  std::int64_t latency_ns() const { return latency_ns_; }
  // Median of the gap behind an op whose successor was ready.
  std::int64_t dispatch_ns() const { return dispatch_ns_; }
  std::int64_t typical_call_ns() const { return typical_call_ns_; }
  // The most launches that were outstanding, where calls blocked at that; else 0.
  std::uint64_t queue_depth() const { return queue_depth_; }

  // Returns when the host had let go of the op; the earliest time there is, where no launch was
  // recorded.
  std::int64_t issue_time(DeviceOpId op) const;
  bool is_blocked(CallId call) const { return blocked_[call]; }
  bool loads_its_kernel(CallId call) const { return loads_its_kernel_[call]; }

 private:
  void learn_latency();
  void learn_dispatch_time();
  void learn_queue_depth();
  void find_loading_launches();

  const Trace& trace_;
  ProcessId process_;
  const std::vector<DeviceOpId>& ops_;
  const std::vector<DeviceOpId>& before_in_stream_;
  std::int64_t latency_ns_ = 0, dispatch_ns_ = 0, typical_call_ns_ = 0;
  std::uint64_t queue_depth_ = 0;
  std::vector<bool> blocked_, loads_its_kernel_;
};

}  // namespace stepscope
