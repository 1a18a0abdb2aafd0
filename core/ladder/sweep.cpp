// SPDX-License-Identifier: Apache-2.0
#include "core/ladder/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope {

bool LadderSweep::same_losses() const {
  return std::all_of(points.begin(), points.end(),
                     [](const SweepPoint& point) { return point.ladder.same_losses(); });
}

LadderSweep make_sweep(const std::string& model, const std::vector<SweepRuns>& runs,
                       const LadderOptions& options) {
  LadderSweep sweep;
  for (const SweepRuns& of : runs) {
    SweepPoint point{.micro_batch = of.micro_batch,
                     .ladder = make_ladder(model, of.rungs, options)};
    const LadderRung* last = point.ladder.rungs.empty() ? nullptr : &point.ladder.rungs.back();
    point.effect = last == nullptr || last->effect == Effect::failed ? Effect::failed
                   : last->in_all ? effect_of(*last->in_all, options.null_band)
                                  : last->effect;
    for (const std::string& note : notes_of_runs(point.ladder))
      sweep.notes.push_back(fmt::format("micro-batch {}: {}", of.micro_batch, note));
    sweep.points.push_back(std::move(point));
  }
  sweep.notes.emplace_back(
      "tokens a step grow with the micro-batch, so losses are held to the first rung's at the same "
      "one");
  return sweep;
}

}  // namespace stepscope
