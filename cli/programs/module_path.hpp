// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stepscope {

// The path of a module of ours that is loaded when it is needed: in `folder` of the build tree (as
// seen from cli/, where the command is), else where it may be installed. Empty where it is not there.
std::string module_path(const std::string& file, const std::string& folder);

}  // namespace stepscope
