// SPDX-License-Identifier: Apache-2.0
// The style sheet of a ladder's picture, compiled in from reports/svg/ladder.css.
#pragma once

#include <string_view>

namespace stepscope {

extern const std::string_view kLadderStyle;

}  // namespace stepscope
