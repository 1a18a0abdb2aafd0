// SPDX-License-Identifier: Apache-2.0
// From a path to a Trace, whatever the format: the one way in for every verb.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
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

// What a path was most likely meant to be, where it is no run: a file that is not there, or a
// folder around runs.

// "; did you mean mine.scope?" for `mine` or `mien.scope` beside a mine.scope; empty where nothing
// in that folder is near.
std::string hint_for_missing(const std::filesystem::path& path);

// Returns the error for a folder that `stepscope profile` did not write, with the runs that it
// holds.
std::optional<Error> no_run_error(const std::filesystem::path& folder);

// Files that a user gives in place of a trace: packed another way, or another tool's. Told by their
// first bytes, within gzip too, whatever they are named.

// What the file is and what to do; nothing where that is not known. Says nothing about files that
// may be traces.
std::optional<Error> foreign_format_error(const std::filesystem::path& path);

}  // namespace stepscope
