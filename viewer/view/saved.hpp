// SPDX-License-Identifier: Apache-2.0
// What stays from one opening of a trace to the next: marks, pinned, hidden and folded lanes; and
// for all traces theme and size of text. Kept as small JSON files in the user's state folder
// (XDG_STATE_HOME, else ~/.local/state), never beside the trace, which may be read-only or shared.
// A file that cannot be read or written is passed over.
#pragma once

#include <string>

#include "viewer/view/desk.hpp"

namespace stepscope::viewer {

// Empty where there is no home.
std::string state_folder();

void load_saved(Desk& desk, const std::string& folder);
// Whether everything could be written.
bool save(const Desk& desk, const std::string& folder);

}  // namespace stepscope::viewer
