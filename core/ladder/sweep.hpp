// SPDX-License-Identifier: Apache-2.0
// A few rungs at several micro-batches: where a rung pays, and where it no longer does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ladder/ladder.hpp"

namespace stepscope {

struct SweepPoint {
  std::int64_t micro_batch = 0;
  Ladder ladder;                      // the rungs at this micro-batch
  Effect effect = Effect::undecided;  // effect of the last rung over the first
};

struct LadderSweep {
  std::vector<SweepPoint> points;  // in the order in which they were asked for
  std::vector<std::string> notes;

  bool same_losses() const;
};

struct SweepRuns {
  std::int64_t micro_batch = 0;
  std::vector<RungRuns> rungs;
};
LadderSweep make_sweep(const std::string& model, const std::vector<SweepRuns>& runs,
                       const LadderOptions& options = {});

}  // namespace stepscope
