// SPDX-License-Identifier: Apache-2.0
// A whole page around its content: one file that needs nothing beside it, no network, and no script
// to be read (the script sorts, filters and switches the theme).
#pragma once

#include <string>
#include <string_view>

#include "reports/markup/markup.hpp"

namespace stepscope::html {

std::string page(std::string_view title, const Markup& content);

}  // namespace stepscope::html
