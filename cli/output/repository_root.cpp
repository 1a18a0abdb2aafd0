// SPDX-License-Identifier: Apache-2.0
#include "cli/output/whole_file.hpp"

#include <cstdlib>
#include <filesystem>

namespace stepscope {

std::string repository_root() {
  const char* workspace = std::getenv("GITHUB_WORKSPACE");
  if (workspace != nullptr && *workspace != '\0') return workspace;
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

}  // namespace stepscope
