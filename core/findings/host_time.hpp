// SPDX-License-Identifier: Apache-2.0
// Parts of the host's time that several rules read: without a core, compiling, making data.
#pragma once

#include <cstdint>
#include <optional>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

// The use of the host's cores: how long the loop's thread was ready to run and had no core, how
// many cores the machine has, and what makes the loop's input. Computed from the sampler's readings
// of the threads' clocks (core/attribution/host/thread_cpu.hpp).

// Whether Python and the framework are on the way from one operation to the next: what fewer
// operations would make shorter.
constexpr bool is_between_operations(Cause cause) {
  return cause == Cause::host_python || cause == Cause::host_framework ||
         cause == Cause::host_between_calls;
}

// Whether new pages of memory can be asked for or given back there: in operations, and between them, where
// tensors are freed.
constexpr bool may_take_new_pages(Cause cause) {
  return family_of(cause) == CauseFamily::host_compute || is_between_operations(cause);
}

// The part of what page faults take by which other work is longer at most: clearing a page also takes
// the caches' place.
inline constexpr double kGoesBesideFaults = 0.35;
inline constexpr double kLeastLeft = 0.05;  // part of the time that no forecast takes away

// Whether the trace holds how long the loop's thread waited for a core.
bool core_wait_is_known(const JudgedRun& run);

// Returns the cores that the process may use; nothing where the trace does not say.
std::optional<std::uint32_t> core_count(const JudgedRun& run);

// Returns the cores that this process has, where the ranks of its job on this machine share them alike.
std::optional<double> cores_of_rank(const JudgedRun& run);

// Returns how many cores the run's processes on this host and those that they started kept busy in the
// mean, from the first counted step to the last. Nothing where the clock of the loop's process was not read.
std::optional<double> cores_kept_busy(const JudgedRun& run);

// Returns how many of them those that the program started kept busy, its loader's workers among them.
std::optional<double> cores_of_children(const JudgedRun& run);

// Returns how many cores the other threads of the loop's process kept busy in the mean, in the same
// time. Nothing where a clock was not read.
std::optional<double> cores_beside_loop(const JudgedRun& run);

// This is what all threads of the loop's process used from the first counted step to the last.
struct KernelUse {
  double cpu_ns = 0, system_ns = 0;  // the second is the part of the first in the kernel
  double page_faults = 0;            // those alone for which no file was read
};
// Returns nothing where it was not sampled.
std::optional<KernelUse> kernel_use(const JudgedRun& run);

// Returns with how many threads PyTorch computes unless the program says otherwise: OMP_NUM_THREADS,
// else one a core; 0 where the process has no PyTorch, or the cores are not known.
std::uint32_t torch_threads(const JudgedRun& run);

// Returns the share on a core of the time in which the loop's input is made: its workers' time,
// where it has some, else the loop's thread's within `times`. Nothing where it was not sampled.
std::optional<double> input_cpu_share(const JudgedRun& run, const IntervalSet& times);

// Returns the share of these times in which a DataLoader had code of the program choose the samples of a
// batch: a sampler, which runs in the loop's process whatever workers there are.
double sampler_share(const JudgedRun& run, const IntervalSet& times);

// Returns the most workers of one DataLoader that lived at once while the loop waited for it.
std::uint32_t loader_workers(const JudgedRun& run);

// Time in which code is compiled, tuned or loaded: it passes once, however often the code runs.

struct Compiling {
  explicit Compiling(const JudgedRun& run);

  // Returns the compiling part of a segment: all of host.module_load, and other host time within
  // `times`.
  std::int64_t ns_in(const Segment& segment) const;

  IntervalSet times;  // when the host compiled, over the whole trace (core/steps/compilation.hpp)
};

// Host time that passes while data for the device is made, with the device idle: between the call
// before an upload and the upload itself, in the upload's own phase.

struct Preparing {
  std::size_t segment;  // segment of the process's partition, owned by the host
  std::int64_t ns;      // its time in a counted step
  std::size_t upload;   // row of JudgedRun::calls.uploads
};

// Returns the preparations of the uploads that `chosen` names, in time order.
std::vector<Preparing> preparing(const JudgedRun& run, const std::vector<bool>& chosen);

// Returns, by row of JudgedRun::calls.uploads, whether it is one of many copies of at most
// kTinyBytes that a line makes in a step.
inline constexpr std::uint64_t kTinyBytes = 4096;
inline constexpr double kManyTiny = 8;
std::vector<bool> tiny_uploads(const JudgedRun& run);

}  // namespace stepscope::rules
