// SPDX-License-Identifier: Apache-2.0
// A ladder for a terminal: from the first rung to the last, a row a rung, and what each changed.
#pragma once

#include <string>

#include "core/ladder/ladder.hpp"
#include "reports/text/style.hpp"

namespace stepscope {

std::string text_ladder(const Ladder& ladder, const Style& style);

}  // namespace stepscope
