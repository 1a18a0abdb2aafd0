// SPDX-License-Identifier: Apache-2.0
// The style sheet of a waterfall that stands alone, compiled in from reports/svg/waterfall.css.
#pragma once

#include <string_view>

namespace stepscope {

extern const std::string_view kWaterfallStyle;

}  // namespace stepscope
