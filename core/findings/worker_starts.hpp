// SPDX-License-Identifier: Apache-2.0
// This finds the time in which a DataLoader ends its workers and starts others, as it does between two
// epochs unless they are persistent.
//
//   an epoch begins   in counted steps (loader_takes.hpp)
//   times             the take that ends the loader, in which it ends its workers, and host time at
//                     the line of the loop from there to the next take, in which it starts others;
//                     and the wait for the first batch, less the time that a worker makes one in, for
//                     persistent workers make it then, too. Without a worker's clock it is left out
//   Persistent workers are neither ended nor started, and both parts of that are short.
#pragma once

#include <cstddef>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

struct WorkerStarts {
  explicit WorkerStarts(const JudgedRun& run);

  bool holds(const Segment& segment) const;
  // The same, or it waits for the first batch.
  bool holds_epoch_begin(const Segment& segment) const;

  IntervalSet times;
  IntervalSet takes;       // those in which an epoch ends or begins
  std::size_t epochs = 0;  // those whose begin is in counted steps
};

}  // namespace stepscope::rules
