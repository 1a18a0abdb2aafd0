// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stepscope {

// Returns the path of a module of ours that is loaded when it is needed: beside the command, in
// `folder` of the build tree (as seen from cli/, where the command is), or where it may be installed.
// The path is empty where the module is in none of these.
std::string module_path(const std::string& file, const std::string& folder);

}  // namespace stepscope
