// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/trainer_program.hpp"

#include <fmt/format.h>

#include <system_error>

namespace stepscope {

const std::vector<Trainer>& trainers() {
  static const std::vector<Trainer> all = {
      {"clt", "cross-layer transcoder with batch top-k"},
      {"llm", "decoder of a language model, its optimisations as rungs of a ladder"},
      {"token_pipeline", "encoder of samples of different length, slow between data and GPU"},
      {"tree", "small model of a tree of experts, whose host waits for the device"},
      {"polychromic", "decoder that learns from the diversity of its own replies"}};
  return all;
}

std::vector<std::string_view> trainer_names() {
  std::vector<std::string_view> names;
  for (const Trainer& trainer : trainers()) names.push_back(trainer.name);
  return names;
}

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
  std::error_code ignored;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  if (std::filesystem::exists(folder.parent_path() / "CMakeCache.txt", ignored))
    return io_error(
        fmt::format("{}: the reference trainer was not built; build it with 'cmake -S "
                    "reference_trainers --preset release && cmake --build "
                    "build/release/reference_trainers --target train_{}'",
                    model, model));
  return io_error(
      fmt::format("{}: the wheel and the .deb bring no reference trainers; in a clone of "
                  "stepscope, scripts/demo builds them ('stepscope help install')",
                  model));
}

}  // namespace stepscope
