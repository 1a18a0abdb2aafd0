// SPDX-License-Identifier: Apache-2.0
// Rows of a list of steps: by host time, and what sets them aside.
#pragma once

#include <string>
#include <vector>

#include "core/steps/steps.hpp"

namespace stepscope {

// The row of the step that holds that host time, with what lies between it and the one before;
// list.size() before the first and behind the last.
std::size_t row_at(const Steps& steps, std::int64_t time);
Interval stretch_of(const Steps& steps,
                    std::size_t row);  // its host time, with what lies before it

void set_aside(Step& step, std::string why);
// Sets the rows aside that still count. False: they are all that count, and still do.
bool set_aside_unless_all(Steps& steps, const std::vector<std::size_t>& rows,
                          const std::string& why);

}  // namespace stepscope
