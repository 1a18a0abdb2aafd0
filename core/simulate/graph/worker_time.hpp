// SPDX-License-Identifier: Apache-2.0
// How many processes make the loop's batches, and how long one of them works for a batch, by their
// own clocks:
//
//     a batch = (time on a core + time asleep inside `fetch`) / batches
//
// A worker that sleeps outside of `fetch` waits for a request: that is no part of a batch. Samples
// say in which of the two it slept. Time in which it was ready and had no core is kept apart,
// because the trace does not show whether the loop or another program had its core then. Batches
// are counted at the loop, which takes one for each that it asks for; the first and the last of a
// run, which are asked for ahead and never, are left out.
//
// Where these clocks were not read, as beside a GPU, those that the forking process reads of its children
// say what a worker computes, and the loop that waits for it how long a batch takes.
//
// The workers' own ranges show how far ahead they are: where they wait for requests, as many
// batches are made and not taken as the loader's prefetch_factor asks for. A batch is as many
// ranges as in the middle of the run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/attribution/process_index.hpp"
#include "core/simulate/graph/loader_takes.hpp"

namespace stepscope {

// PyTorch's own choice for a loader with workers: batches asked for ahead of the loop, for each.
inline constexpr std::uint32_t kUsualPrefetchFactor = 2;

struct WorkerTime {
  std::uint32_t workers = 0;         // 0: the trace does not show them
  std::optional<double> ns_a_batch;  // one worker's time; nothing where the clocks were not read
  double computes = 0;               // share of that time on a core, 0..1
  // By the clocks that the forking process read, where ns_a_batch is not known: the least that a batch takes.
  std::optional<double> on_core_ns_a_batch;
  double core_wait_ns = 0;  // time a batch that the worker waits for a core, besides the above
  std::uint32_t prefetch_factor = kUsualPrefetchFactor;  // batches asked for ahead, by worker
  // Time awake of the loop's thread in a take: what taking a batch costs where none was ready.
  std::optional<double> awake_ns_a_take;
};

// Returns how long the loop's thread was awake in a take; without its clocks, how long its operations show
// that it unpacks. Nothing where neither is known.
std::optional<double> awake_in_take(const ProcessIndex& index, Interval take);

// Returns the main threads of the loader's workers, one a worker.
std::vector<ThreadId> worker_threads(const ProcessIndex& index);

WorkerTime worker_time(const ProcessIndex& index, std::span<const LoaderTake> takes);

// Returns until when a loop that waits for its workers takes batches that they had made before it began;
// the lowest number where none are.
std::int64_t made_ahead_until(const ProcessIndex& index, std::span<const LoaderTake> takes);

}  // namespace stepscope
