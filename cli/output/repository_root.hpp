// SPDX-License-Identifier: Apache-2.0
// The folder that annotations and code scanning count paths from.
#pragma once

#include <string>

namespace stepscope {

// Where GitHub Actions says that the repository lies; else the working directory.
std::string repository_root();

}  // namespace stepscope
