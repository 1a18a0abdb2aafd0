// SPDX-License-Identifier: Apache-2.0
// Which steps are replayed: all that count where they are few, else about as many as the budget holds.
//
// The steps, ordered by their time, are cut where the square roots of their times sum to equal shares;
// the step in the middle of each share is replayed and stands for its time. So rare long steps are
// among them, and no more often than their part of the events allows (a stratum's size by its spread
// over the root of its cost, where both grow with the step). The times that the sample stands for sum
// to those of all steps. The same trace gives the same sample.
//
// Steps with a phase that fewer than half of them have, an evaluation for example, are a kind of their own where
// they take a hundredth of the time: each kind has its share of the sample, and one step at least.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attribution/attribution.hpp"
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

struct StepInSample {
  std::uint32_t row = 0;  // row of Steps::list
  double stands_for = 1;  // so many steps of its time
};

// The kind of each step, by its row; 0 is the usual one.
using StepKinds = std::vector<std::uint32_t>;
StepKinds kinds_of_steps(const Attribution& attribution, const Steps& steps,
                         const std::vector<std::uint32_t>& counted);

// Returns the steps to replay, in the order of their rows.
std::vector<StepInSample> sample_steps(const Trace& trace, const Steps& steps,
                                       const std::vector<std::uint32_t>& counted,
                                       const StepKinds& kinds,
                                       std::uint64_t budget = kReplayedEvents);

}  // namespace stepscope
