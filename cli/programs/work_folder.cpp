// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/work_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace stepscope {

namespace fs = std::filesystem;

Result<WorkFolder> WorkFolder::make(const std::string& keep, const std::string& prefix) {
  std::error_code error;
  if (!keep.empty()) {
    fs::create_directories(keep, error);
    if (error) return io_error(keep + ": cannot be made: " + error.message());
    return WorkFolder(keep, true);
  }
  std::string name = (fs::temp_directory_path(error) / (prefix + "-XXXXXX")).string();
  if (error || mkdtemp(name.data()) == nullptr)
    return io_error("no temporary folder can be made; name one with --keep DIR");
  return WorkFolder(name, false);
}

WorkFolder::WorkFolder(WorkFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), kept_(other.kept_) {}

WorkFolder::~WorkFolder() {
  std::error_code error;
  if (!kept_ && !path_.empty()) fs::remove_all(path_, error);
}

std::string WorkFolder::at(const std::string& name) const {
  return (fs::path(path_) / name).string();
}

}  // namespace stepscope
