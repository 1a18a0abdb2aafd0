// SPDX-License-Identifier: Apache-2.0
// The step finder: which stretches of the run are iterations of the training loop.
//
// Windows tile the run (design: Attribution). Step k ends when the last of its work ends, on the
// host or on the device; ends are monotone; begin of step k = end of step k-1. So a host that runs
// ahead neither hides nor doubles time. The first step's begin is a guess at best, so it is never
// steady; a last step whose device work did not drain has no wall time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/trace.hpp"
#include "core/support/interval.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// In order of preference: the first that gives at least two steps with a confidence of 0.5 wins,
// else the surest.
enum class FoundBy : std::uint8_t {
  none,
  user_marker,    // --step-marker REGEX
  profiler_step,  // ProfilerStep#N
  nvtx_step,      // NVTX or record_function ranges named like a step
  optimizer,      // Optimizer.step scopes, gradient accumulation and several optimizers folded
  executable,     // runs of an executable that XLA compiled (JAX)
  data_loader,    // DataLoader __next__ scopes of a loop without an optimizer
  periodicity,    // the period of the launch (or op) sequence
  whole_trace,    // nothing repeats: one window, no step time is claimed
};

std::string_view name_of(FoundBy found_by);  // stable ids: "user_marker", "profiler_step", ...

struct Step {
  std::int64_t id = 0;         // the marker's own number where it has one, else 0, 1, 2, ...
  Interval host;               // of the marker: what the loop itself sees
  Interval window;             // tiles the run; see above
  bool wall_known = true;      // false: the trace ends before the step's device work does
  bool steady = true;          // it counts: after warm-up, complete and recorded, however long
  std::string why_not_steady;  // "first step", "warm-up: ...", "not recorded, by plan", ...
  // In which its host compiled, tuned itself or loaded modules, overlaps of threads counted once.
  std::int64_t compile_ns = 0;

  std::int64_t wall_ns() const { return window.length(); }
};

// The first steps, which do not count. Rule: warm_up.hpp.
struct WarmUp {
  std::uint64_t steps = 0;
  std::int64_t wall_ns = 0;  // of those whose wall is known
  std::string why;           // for a reader: why these, and what ended it
};

struct Steps {
  FoundBy found_by = FoundBy::none;
  double confidence = 0;   // 0..1, with the reason in `how`
  std::string how;         // one sentence for a reader
  ProcessId process = 0;   // whose loop it is
  ThreadId thread = 0;     // the loop's thread
  std::vector<Step> list;  // in time order
  WarmUp warm_up;
  std::vector<std::string>
      notes;  // what a reader should know besides: ranks left out, steps kept, ...

  std::size_t steady_count() const;
};

struct StepOptions {
  std::string marker_regex;          // --step-marker
  std::optional<std::int32_t> rank;  // --rank: whose steps; by default the lowest's
};

// At least one step is steady, unless no step has a known wall time. Of several processes the one
// with the lowest rank is read, then the one with the most device work. Errors: usage (bad regex; a
// marker that matches nothing; a rank that the trace does not hold), bad_input (a trace without
// events).
Result<Steps> find_steps(const Trace& trace, const StepOptions& options = {});

}  // namespace stepscope
