// SPDX-License-Identifier: Apache-2.0
// Where the reference trainer of a model is: a program of its own, which links LibTorch so that
// stepscope need not.
#pragma once

#include <filesystem>
#include <string>

#include "core/support/result.hpp"

namespace stepscope {

// Beside stepscope (installed), else where the build tree puts it; empty where it was not built.
std::filesystem::path trainer_program(const std::string& model);

// What to do about that.
Error trainer_missing(const std::string& model);

}  // namespace stepscope
