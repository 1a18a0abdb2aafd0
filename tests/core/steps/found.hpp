// SPDX-License-Identifier: Apache-2.0
// The steps of a trace or loop that has some.
#pragma once

#include <gtest/gtest.h>

#include "core/steps/steps.hpp"
#include "tests/core/steps/loop_maker.hpp"

namespace stepscope {

inline Steps found(const Trace& trace, const StepOptions& options = {}) {
  Result<Steps> steps = find_steps(trace, options);
  EXPECT_TRUE(steps.ok()) << (steps.ok() ? "" : steps.error().message);
  return steps.ok() ? steps.value() : Steps{};
}

inline Steps found(LoopMaker& loop, const StepOptions& options = {}) {
  return found(loop.build(), options);
}

}  // namespace stepscope
