// SPDX-License-Identifier: Apache-2.0
// The trace that a profiler would have written of a run, and its steps as they truly were.
#pragma once

#include "core/model/trace.hpp"
#include "core/steps/steps.hpp"
#include "tests/simulator/run.hpp"

namespace stepscope::simulator {

// Begin of the trace's clock: time 0 means "no time".
inline constexpr std::int64_t kStart = 1'000'000;

Trace record(const Run& run);
Steps true_steps(const Run& run, const Trace& trace);

}  // namespace stepscope::simulator
