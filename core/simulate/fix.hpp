// SPDX-License-Identifier: Apache-2.0
// A change that a user could make to the program, as an edit of the replayed task graph, and what
// the replay says that it gives. Findings propose fixes; `stepscope whatif` takes them by hand.
//
// Units: int64 nanoseconds a step for times that come from the trace, decimals for what the replay
// scales. Edits: docs/design/simulation.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attribution/attribution.hpp"

namespace stepscope {

enum class FixKind : std::uint8_t {
  remove_sync,       // the host no longer waits at these calls; a read of the device goes with it
  pin_memory,        // copies of pageable memory become pinned and asynchronous
  prefetch_input,    // input is prepared beside the step: the loop waits only for what is late
  make_in_loop,      // a DataLoader has no workers: the loop makes its batches itself
  merge_copies,      // the copies of a place become one
  hoist_invariant,   // this work runs once, before the loop
  fuse_optimizer,    // the optimizer's kernels become few
  capture_graph,     // launches of a phase, or of the step, become one CUDA graph launch
  scale_work,        // these device operations take `factor` times as long
  overlap_transfer,  // communication, or the scope's copies, run beside compute
  drop_work,         // this phase or line does nothing any more
  less_often,        // this phase runs once in `every` steps of those in which it runs now
  fuse_work,         // these device operations become one, in `factor` of their time
  batch_repeats,     // what this phase does `every` times one after another, it does once for all
};
std::string_view name_of(FixKind kind);  // stable ids: "remove_sync", "pin_memory", ...
std::optional<FixKind> fix_named(std::string_view name);

// What a fix applies to. Each member that is given narrows it; all empty: the whole step.
struct FixScope {
  std::vector<SiteId> sites;    // calls made at these places
  std::vector<PhaseId> phases;  // these phases and those inside them
  std::optional<Cause> cause;   // work of this class
  // Work of its line in this direction: recompute is what runs once more in a backward pass.
  std::optional<Direction> direction;
  // These device operations, ascending, and no work of the host.
  std::vector<DeviceOpId> ops;
  // Host work within these times of the trace, and none of the device.
  IntervalSet host_times;
};

// A gain below this share of the step is none.
inline constexpr double kNoGain = 0.0025;

struct Fix {
  FixKind kind = FixKind::remove_sync;
  FixScope scope;
  double factor = 1;      // scale_work, fuse_work: of the time that it takes now
  double factor_low = 1;  // the interval of that factor, where it is uncertain
  double factor_high = 1;
  std::uint32_t every = 1;  // less_often; of remove_sync: one in so many steps keeps its wait;
                            // batch_repeats: how many there are
  // prefetch_input: that make input beside the step; 0: as many as usual.
  std::uint32_t workers = 0;
  // prefetch_input: the share of making input that is spent on a core; nothing: all of it.
  std::optional<double> computes;
  // How it is written where its scope has no words (ops, host_times): the id of its finding.
  std::string finding;
  // How much of what a replay of the repair gives its finding explains. The rest comes of other
  // work of the same lines: it is possible, and not expected. The fixes of one repair stand one
  // after another and have the same share.
  double expected_share = 1;
};

// The mean step after the fixes, by replay, with a 90 % interval.
struct Forecast {
  double ns_per_step = 0;
  double low_ns_per_step = 0;
  double high_ns_per_step = 0;
  double ceiling_ns_per_step = 0;        // what no luck undercuts by this fix alone; <= low
  std::vector<std::string> assumptions;  // sentences for the reader
  std::string abstained;                 // why no number can be relied on; empty: one can
  // What holds the step with the fixes: the share of it in which the device works, and the place at
  // which the host then waits for the device longer than before, and by how much a step.
  double busy_share = 0;
  SiteId waits_at = kNone;
  double waits_more_ns = 0;
  double input_more_ns = 0;  // by how much a step it waits longer for what others make for it
};

}  // namespace stepscope
