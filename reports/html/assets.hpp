// SPDX-License-Identifier: Apache-2.0
// The style sheet and the script of a page, compiled in from reports/html/assets.
#pragma once

#include <string_view>

namespace stepscope {

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace stepscope
