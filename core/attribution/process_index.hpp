// SPDX-License-Identifier: Apache-2.0
// What can be looked up about a process by thread, time, call and operation: what a thread did, its
// phase and line, why it was silent, what an operation waited for. attribute() builds it once, and
// nobody changes it then. The partitions are read off it. So is all that other layers ask beyond the
// sums: the replay (core/simulate), which needs the same edges, the counts of work by line, the
// collectives of a rank, the viewer's details.
#pragma once

#include <optional>
#include <vector>

#include "core/attribution/dependencies.hpp"
#include "core/attribution/device/device_state.hpp"
#include "core/attribution/host/collective_waits.hpp"
#include "core/attribution/host/host_samples.hpp"
#include "core/attribution/host/sampled_pieces.hpp"
#include "core/attribution/host/thread_cpu.hpp"
#include "core/attribution/places/op_places.hpp"
#include "core/attribution/places/optimizer_work.hpp"

namespace stepscope {

struct ProcessIndex {
  Trace trace;
  ProcessId process;
  Threads threads;
  ThreadCpu cpu;
  HostSamples samples;
  CollectiveWaits collective_waits;
  OptimizerWork optimizer;
  PhaseTable phases;
  CallSites sites;
  Dependencies dependencies;
  OpPlaces places;
  SharedDevices shared_devices;
  HostCauses causes;
  SampledPieces sampled;
  std::vector<Cause> cause_of_op;  // by DeviceOpId
  Interval run;                    // from the begin of the first window to the end of the last

  ProcessIndex(const Trace& trace, const Steps& steps, std::optional<NamePattern> phases_of_user);
  ProcessIndex(const ProcessIndex&) = delete;  // its members refer to each other
  ProcessIndex& operator=(const ProcessIndex&) = delete;
};

}  // namespace stepscope
