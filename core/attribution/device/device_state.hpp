// SPDX-License-Identifier: Apache-2.0
// Who owns the time in which the device works: at each moment the running op of the highest
// priority, compute before communication before copies, so that communication and copies show what
// is exposed. Among equals the op that began first keeps the time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/attribution/cause.hpp"
#include "core/device_health/device_samples.hpp"
#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

struct BusySegment {
  Interval time;
  DeviceOpId op = kNone;
};

// `ops` sorted by begin. The segments are sorted, disjoint, and cover exactly the union of the ops.
std::vector<BusySegment> busy_segments(const DeviceOps& table, const std::vector<DeviceOpId>& ops,
                                       const std::vector<Cause>& cause_of_op);

// When other processes had a context on a device of a process, by NVML's count, which is sampled
// about once a second. The hardware then gives each process a slice of time in turn: work that is
// ready does not begin, and the trace of the one process does not show why.

class SharedDevices {
 public:
  SharedDevices(const Trace& trace, ProcessId process);

  // Whether the sample before `time`, or the one behind it, counts others.
  bool is_shared(std::uint32_t device, std::int64_t time) const;

 private:
  std::map<std::uint32_t, std::vector<DeviceSample>> others_;
};

}  // namespace stepscope
