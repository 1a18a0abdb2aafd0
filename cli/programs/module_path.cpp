// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/module_path.hpp"

#include <filesystem>

namespace stepscope {

std::string module_path(const std::string& file, const std::string& folder) {
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const std::string& where : {std::string("."), folder, "../" + folder, std::string("../lib"),
                                   std::string("../lib/stepscope")}) {
    const std::filesystem::path path = own / where / file;
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return "";
}

}  // namespace stepscope
