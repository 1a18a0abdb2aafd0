// SPDX-License-Identifier: Apache-2.0
// Everything that is the same for all partitions of a process: threads, places, edges and the walk
// over them. attribute() builds it once; Attribution keeps it for the replay (core/simulate), which
// needs the same edges.
#pragma once

#include <optional>
#include <vector>

#include "core/attribution/device/collectives.hpp"
#include "core/attribution/device/device_state.hpp"
#include "core/attribution/host/collective_waits.hpp"
#include "core/attribution/host/host_samples.hpp"
#include "core/attribution/host/sampled_pieces.hpp"
#include "core/attribution/host/thread_cpu.hpp"
#include "core/attribution/places/op_places.hpp"
#include "core/attribution/places/optimizer_work.hpp"
#include "core/attribution/walk/walk.hpp"

namespace stepscope {

struct WalkedProcess {
  Trace trace;
  ProcessId process;
  Threads threads;
  ThreadCpu cpu;
  CollectiveWaits collective_waits;
  OptimizerWork optimizer;
  PhaseTable phases;
  CallSites sites;
  Dependencies dependencies;
  OpPlaces places;
  HostSamples samples;
  SharedDevices shared_devices;
  HostCauses causes;
  SampledPieces sampled;
  Walk walk;
  std::vector<Cause> cause_of_op;  // by DeviceOpId
  LastEntries last_entries;
  Interval run;  // from the begin of the first window to the end of the last

  WalkedProcess(const Trace& trace, const Steps& steps, std::optional<NamePattern> phases_of_user);
  WalkedProcess(const WalkedProcess&) = delete;  // its members refer to each other
  WalkedProcess& operator=(const WalkedProcess&) = delete;
};

}  // namespace stepscope
