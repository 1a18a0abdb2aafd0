// SPDX-License-Identifier: Apache-2.0
// The folder that annotations and code scanning count paths from.
#pragma once

#include <string>

namespace stepscope {

// Returns the repository's folder by GitHub Actions' variable; else the working directory.
std::string repository_root();

}  // namespace stepscope
