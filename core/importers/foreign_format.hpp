// SPDX-License-Identifier: Apache-2.0
// Files that a user gives in place of a trace: packed another way, or another tool's. Told by their
// first bytes, within gzip too, whatever they are named.
#pragma once

#include <filesystem>
#include <optional>

#include "core/support/result.hpp"

namespace stepscope {

// What the file is and what to do; nothing where that is not known. Says nothing about files that
// may be traces.
std::optional<Error> foreign_format_error(const std::filesystem::path& path);

}  // namespace stepscope
