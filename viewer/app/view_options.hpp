// SPDX-License-Identifier: Apache-2.0
// Applies the command line's options to a desk: a span, a search, a table.
#pragma once

#include "viewer/app/app.hpp"

namespace stepscope::viewer {

// Applies theme, step and span to a desk that is shown for the first time.
void apply_view_options(Desk& desk, const ViewOptions& options);
// Highlights what matches the search and opens a kernel's histogram; the latter needs analysed
// runs.
void apply_search(Desk& desk, const ViewOptions& options);
// Whether analysed runs have the table.
Status check_tab(const Desk& desk, const std::string& tab);

}  // namespace stepscope::viewer
