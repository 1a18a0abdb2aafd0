// SPDX-License-Identifier: Apache-2.0
// How many processes make the loop's batches, and how long one of them works for a batch, by their
// own clocks.
//
//   a batch = (time on a core + time asleep inside `fetch`) / batches
//
// A worker that sleeps outside of `fetch` waits for a request: that is no part of a batch. Samples
// say in which of the two it slept. Time in which it was ready and had no core is kept apart: who
// took its core then, the loop or another program, is not told. Batches are counted at the loop, which takes one for each that
// is asked for; the first and the last of a run, which are asked for ahead and never, are left out.
//
// How far ahead workers are is told by the ranges that they recorded: where they wait for requests,
// as many batches are made and not taken as the loader's prefetch_factor asks for. A batch is as
// many ranges as in the middle of the run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/attribution/walked_process.hpp"
#include "core/simulate/graph/loader_takes.hpp"

namespace stepscope {

// PyTorch's own choice for a loader with workers: batches asked for ahead of the loop, for each.
inline constexpr std::uint32_t kUsualPrefetchFactor = 2;

struct WorkerTime {
  std::uint32_t workers = 0;         // 0: the trace does not show them
  std::optional<double> ns_a_batch;  // of one worker; nothing where their clocks were not read
  double computes = 0;               // of that time, on a core: 0..1
  double core_wait_ns = 0;           // a batch, besides
  std::uint32_t prefetch_factor = kUsualPrefetchFactor;  // batches asked for ahead, by worker
  // Of the loop's thread in a take, not asleep: what taking a batch costs where none was ready.
  std::optional<double> awake_ns_a_take;
};

WorkerTime worker_time(const WalkedProcess& walked, std::span<const LoaderTake> takes);

}  // namespace stepscope
