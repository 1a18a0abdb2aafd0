// SPDX-License-Identifier: Apache-2.0
// Time in which code is compiled, tuned or loaded: it passes once, however often the code runs.
#pragma once

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

struct Compiling {
  explicit Compiling(const JudgedRun& run);

  // Of the segment: all of host.module_load, and other host time within `times`.
  std::int64_t ns_in(const Segment& segment) const;

  IntervalSet times;  // of the host, in the whole trace (core/steps/compilation.hpp)
};

}  // namespace stepscope::rules
