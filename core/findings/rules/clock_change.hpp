// SPDX-License-Identifier: Apache-2.0
// clock_change: the device's clock is lower than it could be while the counted steps run: throttled
// by power, temperature or a setting, or different between steps.
//
//   fires where   drop >= 3 %, and drop x device work >= least
//   drop          1 - median clock / highest clock seen in the run
//   Between two runs clocks are the diff's and the gate's matter. Without samples: not judged.
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_clock_change(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
