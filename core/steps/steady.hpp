// SPDX-License-Identifier: Apache-2.0
// Which steps stand for the run. Set aside, each with its reason:
//   the first step                  its begin is a guess at best
//   a last step without wall time   the trace ends before its work does
//   warm-up, compilation            at the beginning: steps whose wall is above kFarAbove x the
//   level of the
//                                   second half of the run and above its spread, and steps that
//                                   load modules or compile and are kSlowedBy longer than that
//                                   level
//   outliers                        wall above median + max(kDeviations x 1.4826 MAD, kLeastExcess
//   x median)
//                                   *and* no explanation
// Explanations, by which a long step stays: more work than usual (kMoreWork), a range that most
// steps lack and that fills a quarter of the excess (evaluation, checkpoint), modules loaded in
// mid-run (a finding, not noise), or long steps that return at even distances (three at least).
// Where this would set aside more than half of the steps it is undone, and a note says so.
#pragma once

#include "core/steps/activity.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

void choose_steady(const Activity& activity, Steps& steps);

}  // namespace stepscope
