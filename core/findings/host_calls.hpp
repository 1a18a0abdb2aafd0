// SPDX-License-Identifier: Apache-2.0
// The calls by which the loop stops for the device or hands it data, on the loop's thread and on
// the autograd engine's threads that act for it.
//
// One wait is what a user sees as one: `.item()` is a copy to the host and a synchronisation behind
// it, `.to(device)` of pageable memory a copy to the device and one. Only what waited counts: an
// explicit synchronisation, or a copy whose call returned after its own op had ended.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attribution/attribution.hpp"

namespace stepscope::rules {

struct JudgedRun;

enum class WaitKind : std::uint8_t {
  sync,    // asked for: torch.cuda.synchronize, a stream's, an event's
  read,    // reads the device's memory
  upload,  // to the device, from pageable memory
};

struct HostWait {
  // From the begin of its first call to the end of its last; a read includes the aten::item around
  // them, where operations are recorded.
  Interval time;
  WaitKind kind = WaitKind::sync;
  SiteId site = kNone;
  PhaseId phase = 0;
  RangeId range = kNone;    // range of its first call
  DeviceOpId op = kNone;    // the copy; kNone for a synchronisation
  std::uint64_t bytes = 0;  // bytes that the copy moved
};

struct Upload {
  // From the thread's last call that issued work or waited: in this time the data was made.
  Interval preparing;
  Interval time;  // as a wait's
  SiteId site = kNone;
  PhaseId phase = 0;
  RangeId range = kNone;
  DeviceOpId op = kNone;
  std::uint64_t bytes = 0;
  bool pageable = false;
};

struct HostCalls {
  std::vector<HostWait> waits;  // by begin
  std::vector<Upload> uploads;  // uploads of the loop's own thread, by begin
};

HostCalls host_calls(const JudgedRun& run);

}  // namespace stepscope::rules
