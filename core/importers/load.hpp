// SPDX-License-Identifier: Apache-2.0
// From a path to a Trace, whatever the format: the one way in for every verb.
#pragma once

#include <filesystem>
#include <vector>

#include "core/model/trace.hpp"
#include "core/support/progress.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// A NAME.scope folder, an .sst file, a Kineto .json[.gz], or an SQLite export of nsys. The
// first importer of the list in load.cpp that recognises the path reads it. Errors: io (missing,
// unreadable), bad_input (no known format, corrupt, empty), unsupported (a newer one).
Result<Trace> load(const std::filesystem::path& path, const Progress& progress = {});

// These .sst files of a NAME.scope folder alone, as if it held no others.
Result<Trace> load_files(const std::filesystem::path& folder,
                         const std::vector<std::filesystem::path>& files,
                         const Progress& progress = {});

}  // namespace stepscope
