// SPDX-License-Identifier: Apache-2.0
// What the command line asks of a desk beyond its runs: a span, a search, a table.
#pragma once

#include "viewer/app/app.hpp"

namespace stepscope::viewer {

// Of a desk that is shown for the first time: theme, step, span.
void open_as_asked(Desk& desk, const ViewOptions& options);
// Lights what matches and opens a kernel's histogram; the latter needs analysed runs.
void search_as_asked(Desk& desk, const ViewOptions& options);
// Whether analysed runs have the table.
Status check_tab(const Desk& desk, const std::string& tab);

}  // namespace stepscope::viewer
