// SPDX-License-Identifier: Apache-2.0
// The exact partition of wall time: every nanosecond of every window has one owner.
//
// Device state owns first. While a device op of the process runs, its class owns the time (several
// at once: compute, then communication, then copy). Otherwise the device is idle, and the idle
// interval [a, b) is owned by a backward walk over the dependency graph from the op that starts at
// b, clipped to [a, b); with no later op, from the host. Step ends only cut segments; they never
// start a walk.
//
// Invariants (check_invariants): segments tile each window without gap or overlap; the segments of
// device causes equal the union of the device ops. Units: int64 nanoseconds, no rounding anywhere.
// Source of the method: docs/design/attribution.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attribution/cause.hpp"
#include "core/attribution/device/collectives.hpp"
#include "core/attribution/direction.hpp"
#include "core/model/trace.hpp"
#include "core/steps/steps.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

using PhaseId = std::uint32_t;  // row of Attribution::phases; 0 is the root "(no phase)"

struct Phase {
  std::string name;
  PhaseId parent = 0;  // 0 for outermost phases
};

// A stretch of time with its owner. host_evidence: the call or op that the host was in.
// device_evidence: the op that ran, or that was issued and had not begun (launch latency, gaps);
// kNone where the host owns.
struct Segment {
  Interval time;
  Cause cause = Cause::unknown;
  PhaseId phase = 0;  // innermost phase
  SiteId site = kNone;
  RangeId host_evidence = kNone;
  DeviceOpId device_evidence = kNone;
  Direction direction = Direction::none;   // what the line's work was
  bool is_sampled = false;                 // the line is a sample's, not a record's
  AsleepIn asleep_in = AsleepIn::unknown;  // host.off_cpu: what the thread slept in
};

// The one exact table: all other tables are sums over it.
struct Cell {
  std::uint32_t step = 0;  // index into Steps::list
  Cause cause = Cause::unknown;
  PhaseId phase = 0;
  SiteId site = kNone;
  std::int64_t ns = 0;
  Direction direction = Direction::none;
};

// One partition: of one device, or of the process (any of its devices busy).
struct Partition {
  static constexpr std::uint32_t kWholeProcess = kNone;
  std::uint32_t device = kWholeProcess;
  std::vector<Segment> segments;    // in time order, tiling [first window begin, last window end)
  std::vector<Cell> cells;          // sorted by (step, cause, phase, site, direction)
  IntervalSet busy;                 // union of the device ops inside the windows
  std::int64_t queued_idle_ns = 0;  // idle with the next op already issued
  std::int64_t queued_busy_ns = 0;  // busy of ops whose successor was issued before they ended
};

// The class and the place of a device op, decided once for every table.
struct OpOwner {
  Cause cause = Cause::gpu_other;  // its class
  PhaseId phase = 0;               // innermost phase of the range that launched it: op_places.hpp
  std::uint32_t transfer = kNone;  // row of Attribution::transfers that it is part of
};

// The messages of one launch: one communication call's, or those of a group of calls.
struct Transfer {
  std::vector<std::uint32_t> calls;  // rows of Collectives, in order
};

struct PhaseVisit {  // one entry into a phase
  PhaseId phase = 0;
  Interval time;
};

struct GraphWork {  // CUDA graphs, for the trust section
  std::uint64_t ops = 0;
  std::uint64_t ops_without_capture = 0;  // where their nodes were captured is not in the trace
};

// The DataLoader's workers during the loop's waits for them, as far as the sampler saw them.
struct LoaderWait {
  std::int64_t seen_ns = 0;  // the part of host.data_wait in which the sampler saw workers
  std::int64_t busy_ns = 0;  // sum over the workers of the time in which each made a batch
  // So many were alive in most of that time (a median). A worker's end is seen up to a tenth of a
  // second late, when the first one of the next epoch is at work already.
  std::uint32_t workers = 0;
};

struct Edges {  // how the walk's edges were learnt, for the trust section
  std::uint64_t event_waits_exact = 0;
  std::uint64_t event_waits_inferred = 0;
  std::uint64_t unresolved_waits = 0;
  std::int64_t launch_latency_ns = 0;  // L: median of start - call end into an empty stream
  std::uint64_t queue_depth = 0;       // learnt number of outstanding launches at which calls block
};

struct ProcessIndex;  // process_index.hpp

struct Attribution {
  std::vector<Phase> phases;
  Partition process;
  std::vector<Partition> devices;  // empty where the process drives fewer than two
  std::vector<OpOwner> ops;        // by DeviceOpId; ops of other processes keep the default
  std::vector<Transfer> transfers;
  LastEntries last_entries;
  std::vector<PhaseVisit> visits;  // by the process whose steps these are
  Edges edges;
  GraphWork graphs;
  LoaderWait loader;
  bool inflated = false;                       // host times were stretched by the tracer itself
  std::vector<std::string> over_budget;        // partitions of which more than 1 % is unexplained
  std::vector<std::string> broken_invariants;  // empty for every sound trace; printed first
  std::shared_ptr<const ProcessIndex> index;   // what they were read off; null where made by hand
};

struct AttributionOptions {
  std::string phase_regex;  // --phase: which ranges are phases; empty: automatic
};

Result<Attribution> attribute(const Trace& trace, const Steps& steps,
                              const AttributionOptions& options = {});

// The invariants that every partition must keep, checked on every trace by other means than those
// that made it. Each broken one is a sentence with its numbers; a sound partition gives none.

inline constexpr double kUnknownBudget = 0.01;

std::vector<std::string> check_invariants(const Steps& steps, const Partition& partition);

// A sentence where more than the budget of the steady steps' wall time has no explanation: nothing
// is contradicted then, but a reader must know. Without a steady step, all steps count.
std::vector<std::string> check_unknown_budget(const Steps& steps, const Partition& partition);

// A partition by phase: the stretches of time that belong to a phase or to one inside it. What
// PyTorch's own marks name is in it, as in the table of phases: the stays of a phase sum to its row
// there.

// Returns the stays in order of begin, outer phases first. The root has none.
std::vector<PhaseVisit> phase_stays(const Attribution& attribution);

}  // namespace stepscope
