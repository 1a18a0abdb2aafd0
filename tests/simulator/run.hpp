// SPDX-License-Identifier: Apache-2.0
// What happened in a simulated run, as the machine itself knows it. Times in ns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attribution/cause.hpp"
#include "core/model/events.hpp"
#include "core/support/interval.hpp"
#include "tests/simulator/program.hpp"

namespace stepscope::simulator {

enum ThreadNumber : std::uint32_t { kLoop = 0, kWorker = 1, kSide = 2, kThreads = 3 };

// A stretch of a thread's life: it ran for a reason, or it was blocked on a thread or a device op.
struct HostPiece {
  Interval time;
  Cause cause = Cause::unknown;  // where it ran
  std::uint32_t blocked_on_thread = kNone;
  std::uint32_t blocked_on_op = kNone;  // index into Run::ops
};

struct HostRange {
  HostKind kind = HostKind::op;
  std::string name;
  std::uint32_t thread = 0;
  Interval time;
  std::uint32_t correlation = 0;
  std::uint32_t stream = kNone;
  std::uint32_t event = 0;
  std::uint32_t line = 0;
};

struct SimulatedOp {
  DeviceOpKind kind = DeviceOpKind::kernel;
  std::string name;
  Cause cause = Cause::gpu_other;
  Cause ready_cause = Cause::gpu_dispatch_gap;  // owner of idle time in which nothing holds it back
  std::uint32_t thread = 0;                     // the thread that issued it
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  CopyKind copy = CopyKind::none;
  MemoryKind from = MemoryKind::unknown;
  MemoryKind to = MemoryKind::unknown;
  std::uint64_t bytes = 4096;
  bool bound_by_launch = true;  // else an op before it decided when it could begin
  std::int64_t submit = 0;      // the host let go of it
  std::int64_t arrival = 0;     // the device knew of it
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct Run {
  std::vector<std::vector<HostPiece>> pieces{kThreads};  // contiguous from time 0
  std::vector<HostRange> ranges;
  std::vector<SimulatedOp> ops;     // in the order of issue
  std::vector<Interval> step_host;  // all steps, also those outside the windows
  std::vector<Interval> windows;    // windows of the steps that count
  std::size_t first_counted = 0;    // index of the first window's step
  Recording recording;
};

}  // namespace stepscope::simulator
