// SPDX-License-Identifier: Apache-2.0
// What a loop does in every n-th iteration, told by its lines: an evaluation, a checkpoint, a log.
//
// Source lines that run in the same steps, and in every n-th one (line_periods.hpp), are of one stretch
// in each of these steps: from the first record or sample at one of them to the last, with the lines of
// functions that they call. What lies between a record and a sample is the sample's, and half of what
// lies between two samples. A stretch is named after the line that holds most of the time up to the
// next. A line behind a step's own iteration, where a loop around it goes on (a validation by the lines
// that train), is another than the same line inside. A line that most steps run, in a function that has
// a loop, is the loop's own and ends a stretch. Stretches count that hold kLeastShare of the loop's time.
//
// Steps are counted from the program's own loops alone: elsewhere n would be a guess.
#pragma once

#include <string>
#include <vector>

#include "core/steps/steps.hpp"

namespace stepscope {

struct PeriodicStretch {
  Interval time;     // on the loop's thread
  std::string name;  // "evaluate", or "train.py:41" in a function of the loop or one around it
};

// In order of time, disjoint.
std::vector<PeriodicStretch> periodic_stretches(const Trace& trace, const Steps& steps);

}  // namespace stepscope
