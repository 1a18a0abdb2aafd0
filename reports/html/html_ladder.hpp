// SPDX-License-Identifier: Apache-2.0
// A ladder as one page: the picture, a row a rung, and what each changed in the step.
#pragma once

#include <string>

#include "core/ladder/ladder.hpp"

namespace stepscope {

std::string html_ladder(const Ladder& ladder);

}  // namespace stepscope
