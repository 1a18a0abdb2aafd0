// SPDX-License-Identifier: Apache-2.0
// Names of the program's own as a terminal may show them: what moves the cursor, paints, ends a
// line or turns the direction of writing is replaced, so a name cannot pass for a line of the
// report.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// Each replaced character becomes one column: a blank for what separates words, else "?".
std::string one_line(std::string_view text);

}  // namespace stepscope
