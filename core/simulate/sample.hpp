// SPDX-License-Identifier: Apache-2.0
// Which steps are replayed: all that count where they are few, else as many as the budget holds,
// the middles of equal shares of the steps ordered by their time, so that slow steps are among them
// as often as in the run. The same trace gives the same sample.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/trace.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

inline constexpr std::uint64_t kReplayedEvents = 120'000;
inline constexpr std::size_t kFewestReplayedSteps = 3;

// The host work of a step: from where that of the step before ended, or from its own begin behind a
// stretch that was not recorded.
Interval host_time_of(const Steps& steps, std::uint32_t row);

// Without the steps that begin before `time`; all of them where that would leave fewer than half.
std::vector<std::uint32_t> from_time_on(const Steps& steps, std::vector<std::uint32_t> counted,
                                        std::int64_t time);

// Rows of steps.list, in time order.
std::vector<std::uint32_t> sample_steps(const Trace& trace, const Steps& steps,
                                        const std::vector<std::uint32_t>& counted,
                                        std::uint64_t budget = kReplayedEvents);

}  // namespace stepscope
