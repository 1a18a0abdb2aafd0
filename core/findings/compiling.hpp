// SPDX-License-Identifier: Apache-2.0
// Time in which code is compiled, tuned or loaded: it passes once, however often the code runs.
#pragma once

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

struct Compiling {
  explicit Compiling(const JudgedRun& run);

  // Returns the compiling part of a segment: all of host.module_load, and other host time within
  // `times`.
  std::int64_t ns_in(const Segment& segment) const;

  IntervalSet times;  // when the host compiled, over the whole trace (core/steps/compilation.hpp)
};

}  // namespace stepscope::rules
