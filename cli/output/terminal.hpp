// SPDX-License-Identifier: Apache-2.0
// What the terminal can show. Colour only on a terminal, and never with NO_COLOR set (no-color.org)
// or TERM=dumb; Unicode where the locale's character set is UTF-8. Names are cut to fit a terminal,
// and stay whole in files and pipes, unless COLUMNS says that they are shown on one after all.
#pragma once

#include "reports/text/style.hpp"

namespace stepscope {

Style style_for(bool to_terminal);
bool stdout_is_terminal();
bool stderr_is_terminal();

}  // namespace stepscope
