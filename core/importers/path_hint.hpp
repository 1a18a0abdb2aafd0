// SPDX-License-Identifier: Apache-2.0
// What a path was most likely meant to be, where it is no run: a file that is not there, or a
// folder around runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/support/result.hpp"

namespace stepscope {

// "; did you mean mine.scope?" for `mine` or `mien.scope` beside a mine.scope; empty where nothing
// in that folder is near.
std::string hint_for_missing(const std::filesystem::path& path);

// Returns the error for a folder that `stepscope profile` did not write, with the runs that it
// holds.
std::optional<Error> no_run_error(const std::filesystem::path& folder);

}  // namespace stepscope
