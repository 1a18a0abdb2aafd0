// SPDX-License-Identifier: Apache-2.0
// A recording whose name is taken becomes NAME.2.scope, NAME.3.scope and so on: whoever then asks for
// NAME.scope may mean the last one.
#pragma once

#include <string>

namespace stepscope {

// Returns the last recording that was made under the name of `path` (run.scope) since:
// "run.3.scope". It is empty where there is none, or where `path` is no plain name of a recording.
std::string later_recording(const std::string& path);

}  // namespace stepscope
