// SPDX-License-Identifier: Apache-2.0
// The ways to tell a loop's steps, in order of preference: each takes what a process did and
// returns a loop, without steps where it finds nothing. The comment is what a step is.
//
// Invariant: steps are in time order and their ends do not decrease. Work between two steps belongs
// to the later one, since windows tile (windows.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/steps/activity.hpp"
#include "core/steps/steps.hpp"
#include "core/support/name_pattern.hpp"

namespace stepscope {

struct HostStep {
  std::int64_t id = 0;
  Interval time;
  // When its own iteration was over: what follows are loops around it (an evaluation behind each
  // epoch). 0: not known.
  std::int64_t own_end = 0;
};

struct Loop {
  FoundBy found_by = FoundBy::none;
  double confidence = 0;  // 0: this finder found nothing
  std::string how;
  ThreadId thread = 0;
  std::vector<HostStep> steps;
  bool evaluates = false;           // by the name of what runs
  bool divides = true;              // false: marks of which one holds nearly all of the work
  bool last_complete = true;        // false: the trace ends in the middle of the last step
  bool may_be_parts = false;        // what repeats may be parts of one step: the layers of a model
  bool amid_others = false;         // and stands between work that no repeat has
  bool runs_once = false;           // at lines that no loop brings round again: it is no loop
  bool is_uneven = false;           // something in it comes once, so all may be one iteration
  std::int64_t begin_error_ns = 0;  // as Steps has it
  std::vector<std::string> notes;
  std::string loop;  // as Division has it, like the three that follow
  bool is_around = false;
  double steps_each = 0;
  double own_share = 0;
  // The same stretch divided in another way: tokens in place of calls of `generate`, a GAN's
  // optimizer steps in place of its iterations. `how` says what its steps are.
  std::vector<Loop> others;

  bool found() const { return !steps.empty(); }
  Interval time() const;                     // from the first step's begin to the last one's end
  Interval stretch(std::size_t step) const;  // with what lies between it and the one before
};

inline constexpr double kGoodEnough = 0.5;  // confidence

// The first of these that is good enough, else the surest; find_whole_trace always finds one step.
Loop find_loop(const Activity& activity);

// A ProfilerStep#N range of torch.profiler. Copies of it on the device's time line do not count.
Loop find_profiler_steps(const Activity& activity);

// A range named like a step (named_range.hpp).
Loop find_named_ranges(const Activity& activity);

// An iteration of one of the program's own loops, as the recorder noted them (nest/README.md).
Loop find_nest_steps(const Activity& activity);

// The iterations of the loop that comes round with these begins of a period, one to one; else of the
// outermost loop that comes round more often. None: the period is of no loop of the program, or loops
// were not noted.
Loop loop_of_period(const Activity& activity, const std::vector<std::int64_t>& begins);

// What runs these times, by the loops that the recorder noted: nearly all lie in no loop, or those
// that do lie in one iteration of each, or a loop comes round between them.
enum class RunBy { unknown, no_loop, one_iteration, a_loop };
RunBy run_by(const Activity& activity, const std::vector<std::int64_t>& times);

// A step ends with an optimizer's scope (Optimizer.step#NAME.step; PyTorch marks them in every
// traced run, C++ optimizers do not), so gradient accumulation and everything else between two of
// them is one step. Several are one iteration if they come in a cycle: a discriminator's and a
// generator's, five critics' and one generator's, k on one fetched batch.
Loop find_optimizer_steps(const Activity& activity);

// A call of the closure that an optimizer evaluates many times in each of its steps (LBFGS): from
// where it clears the gradients to where the next one does. They are another division of the steps,
// and the steps where the optimizer steps once.
Loop find_closure_calls(const Activity& activity);

// A run of an executable that XLA compiled (a jitted function of JAX): the executable with the most
// work, of those that run three times at least. Runs inside a compilation (autotuning) are none, and
// one whose name says evaluation is taken only where no other runs. Runs of others between two
// belong to the later one.
Loop find_executable_runs(const Activity& activity);

// A batch that a DataLoader is asked for, with what is done with it. Where some batches are followed
// by a backward pass and others are not (validation), only the former are steps. A fetch with no
// work behind it (the end of an epoch) is none.
Loop find_data_loader_steps(const Activity& activity);

// A period of the device's work, or of the host's operations (periodicity/README.md).
Loop find_period(const Activity& activity);

// Those of programs that have a single range, and samples (sampled/README.md): an iteration that its
// iterator counts; the time between two visits of a line that samples meet evenly.
Loop find_counted_loops(const Activity& activity);
Loop find_sampled_lines(const Activity& activity);

// The last resort: all that is known of the process is one window. No step time is claimed.
Loop find_whole_trace(const Activity& activity);

// A step is a range that the user named: --step-marker REGEX is searched in the names of annotations,
// and where none of them matches in those of all other host ranges (ops, Python functions, calls).
Loop find_user_marks(const Activity& activity, const NamePattern& marker,
                     const std::string& pattern);

// Returns the names in the trace, numbers folded, most frequent first, for the message when no
// marker matches.
std::string annotation_names(const Trace& trace);

}  // namespace stepscope
