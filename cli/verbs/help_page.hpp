// SPDX-License-Identifier: Apache-2.0
// Pages of the documentation as a terminal shows them.
#pragma once

#include <string>
#include <string_view>

#include "cli/verbs/finding_pages.hpp"

namespace stepscope {

// Null where there is no such page.
const HelpPage* find_help_page(std::string_view topic);

// "# The gate" -> "The gate", without the marks of code.
std::string title_of(const HelpPage& page);

// Markdown whose links to files became what one can type here: "[gate](gate.md#policy)" becomes
// "gate (stepscope help gate)"; where a link leads to a file of the source tree, its text stays.
std::string without_links(std::string_view markdown);

}  // namespace stepscope
