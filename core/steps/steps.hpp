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
#include <string_view>
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
  loop_nest,      // iterations of one of the program's own loops
  optimizer,      // Optimizer.step scopes, gradient accumulation and several optimizers folded
  executable,     // runs of an executable that XLA compiled (JAX)
  data_loader,    // DataLoader __next__ scopes of a loop without an optimizer
  loop_counter,   // the count that a loop's iterator keeps, read with samples
  periodicity,    // the period of the launch (or op) sequence
  whole_trace,    // nothing repeats: one window, no step time is claimed
};

std::string_view name_of(FoundBy found_by);  // stable ids: "user_marker", "profiler_step", ...

struct Step {
  std::int64_t id = 0;         // the marker's own number where it has one, else 0, 1, 2, ...
  Interval host;               // the marker's time: what the loop itself sees
  std::int64_t own_end = 0;    // where it ends without what loops around it do; 0: not known
  Interval window;             // tiles the run; see above
  bool wall_known = true;      // false: the trace ends before the step's device work does
  bool steady = true;          // it counts: after warm-up, complete and recorded, however long
  std::string why_not_steady;  // "first step", "warm-up: ...", "not recorded, by plan", ...
  // Time in which its host compiled, tuned itself or loaded modules, overlaps of threads counted
  // once.
  std::int64_t compile_ns = 0;

  std::int64_t wall_ns() const { return window.length(); }
};

// The first steps, which do not count. Rule: warm_up.hpp.
struct WarmUp {
  std::uint64_t steps = 0;
  std::int64_t wall_ns = 0;  // sum over those whose wall time is known
  std::string why;           // for a reader: why these, and what ended it
};

// One way to divide a section into steps.
struct Division {
  FoundBy found_by = FoundBy::none;
  std::uint64_t steps = 0;
  Interval host;  // from the first step's begin to the last one's end, on the host
  std::string how;
  std::int64_t recorded_ns = 0;  // the part of `host` that was recorded and is not lost
  std::string loop;  // where it is, like "train.py:12 (main)"; empty: the recorder noted no loop
  bool is_around = false;  // the steps of the first division run in it
  // How many steps of the section's first division nearly all of its iterations hold, where these are
  // as many in each; else 0. A part of 1 where several iterations are one such step.
  double steps_each = 0;
  double own_share = 0;  // 0..1 of its iterations' time that is in none of the loop right inside it
};

// A loop of the program; several run one after the other. Rule and order: sections.hpp.
struct Section {
  std::string kind;                 // "training", "no backward pass", "evaluation", "loop"
  std::vector<Division> divisions;  // the first is what is taken without a choice
};

struct SectionChoice {
  std::size_t section = 0, division = 0;
};
std::string name_of(const SectionChoice& choice);  // "2", "1.1": what --section takes
Result<SectionChoice> parse_section(std::string_view text);

struct Steps {
  FoundBy found_by = FoundBy::none;
  double confidence = 0;   // 0..1, with the reason in `how`
  std::string how;         // one sentence for a reader
  ProcessId process = 0;   // whose loop it is
  ThreadId thread = 0;     // the loop's thread
  std::vector<Step> list;  // in time order
  WarmUp warm_up;
  // The loops of the process, the first the one that is taken without a choice; empty where nothing
  // repeats, and where the user's own marker says what a step is.
  std::vector<Section> sections;
  SectionChoice chosen;                   // whose steps these are
  Interval recorded;                      // what was recorded of the process, on the host
  std::int64_t recorded_ns = 0;           // the part of it that the plan recorded and no loss took
  std::uint64_t without_device_work = 0;  // steps set aside for it (lost_device_work.hpp)
  // A step's begin may be off by this, where only samples show it. 0: it is as exact as the records.
  std::int64_t begin_error_ns = 0;
  bool may_be_parts = false;  // repeats in which nothing tells a whole iteration from a part
  std::vector<std::string>
      notes;  // what a reader should know besides: ranks left out, steps kept, ...

  std::size_t steady_count() const;
  // Returns the recorded time of the process in no section: start-up, saving, what does not repeat.
  std::int64_t outside_sections_ns() const;
};

struct StepOptions {
  std::string marker_regex;              // --step-marker
  std::optional<std::int32_t> rank;      // --rank: whose steps; by default the lowest's
  std::optional<std::int64_t> pid = {};  // --process: whose steps, by the system's id
  std::optional<SectionChoice> section;  // --section; not together with a marker
};

// At least one step is steady, unless no step has a known wall time. The process with the lowest
// rank is read, then the one with the most device work; among several loops that run one after the
// other, the first of `sections` is taken if no other is chosen. Errors: usage (a section that the
// run does not have, or one beside a marker; bad regex; a marker that matches nothing; a rank or
// a process that the trace does not hold), bad_input (a trace without events).
Result<Steps> find_steps(const Trace& trace, const StepOptions& options = {});

}  // namespace stepscope
