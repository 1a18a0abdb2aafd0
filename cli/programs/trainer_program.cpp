// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/trainer_program.hpp"

#include <fmt/format.h>

#include <system_error>

namespace stepscope {

std::filesystem::path trainer_program(const std::string& model) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::string name = "train_" + model;
  for (const fs::path& at :
       {here / name, here.parent_path() / "reference_trainers" / model / name}) {
    if (fs::is_regular_file(at, ignored)) return at;
  }
  return {};
}

Error trainer_missing(const std::string& model) {
  return io_error(
      fmt::format("{}: the reference trainer was not built; configure with "
                  "-DSTEPSCOPE_WITH_TORCH=ON and build train_{}",
                  model, model));
}

}  // namespace stepscope
