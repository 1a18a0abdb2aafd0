// SPDX-License-Identifier: Apache-2.0
// The marks of a ruler: multiples of 1, 2 or 5 times a power of ten, as close as the labels allow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/interval.hpp"

namespace stepscope::viewer {

struct Ticks {
  std::int64_t step_ns = 1;
  std::vector<std::int64_t> at;  // absolute times, multiples of step_ns after `origin`
};

// Returns at most `most` marks inside `span`.
Ticks ticks(Interval span, std::int64_t origin, int most);

// "12.5 ms": the distance from the origin, in the unit of the span and with the digits of the step.
std::string tick_label(std::int64_t from_origin_ns, std::int64_t step_ns, std::int64_t span_ns);

}  // namespace stepscope::viewer
