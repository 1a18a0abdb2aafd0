// SPDX-License-Identifier: Apache-2.0
// Where the reference trainer of a model is: a program of its own, which links LibTorch so that
// stepscope need not.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope {

struct Trainer {
  std::string_view name;
  std::string_view about;
};

const std::vector<Trainer>& trainers();
std::vector<std::string_view> trainer_names();

// Beside stepscope (installed), else where the build tree puts it; empty where it was not built.
std::filesystem::path trainer_program(const std::string& model);

// Returns an error that says what to do about a missing trainer.
Error trainer_missing(const std::string& model);

}  // namespace stepscope
