// SPDX-License-Identifier: Apache-2.0
// A recording whose name is taken becomes NAME.2.scope, NAME.3.scope and so on: whoever then asks for
// NAME.scope may mean the last one.
#pragma once

#include <string>
#include <vector>

namespace stepscope {

// Returns the last recording that was made under the name of `path` (run.scope) since:
// "run.3.scope". It is empty where there is none, or where `path` is no plain name of a recording.
std::string later_recording(const std::string& path);

// Says on stderr which recordings are later than those that `verb` was given and are not among them.
void note_later_recordings(const std::string& verb, const std::vector<std::string>& paths);

}  // namespace stepscope
