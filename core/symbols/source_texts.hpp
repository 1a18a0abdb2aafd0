// SPDX-License-Identifier: Apache-2.0
// The source lines of a run as they were when it ran, kept beside its stores as sources.json
// (schema stepscope.sources/1):
//   {"schema": ..., "files": [{"file": "/path/train.py", "hashes": "8 hexadecimal digits a line",
//     "lines": {"113": "loss.backward()", ...}}, ...]}
// core/model/source_text.hpp says what a hash is. A file that is changed between two runs can then
// be compared line by line, whatever has become of it since.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/source_text.hpp"
#include "core/support/result.hpp"

namespace stepscope {

inline constexpr const char* kSourcesFile = "sources.json";

using SourceTexts = std::vector<SourceText>;

// Whether the file is the user's: not a library's, a compiler's, a framework's or Python's own.
bool is_users_source(std::string_view file);

// What the trace needs of one file.
struct WantedLines {
  std::set<std::uint32_t> lines;
  std::int64_t loaded_ns = 0;  // a file that was changed later is not what ran, and is left out
};

// Returns the wanted lines, by the file's name in the trace. Relative names are looked for in
// `folder`. A file is left out if it is missing, no regular file, large, or a library's.
SourceTexts capture_sources(const std::map<std::string, WantedLines>& files,
                            const std::filesystem::path& folder);

// Errors: io.
Status write_sources(const std::filesystem::path& path, const SourceTexts& sources);
// Errors: io, bad_input (no such document).
Result<SourceTexts> read_sources(const std::filesystem::path& path);

// Those of a run's folder; none where it has none, or where they are damaged.
SourceTexts sources_of_run(const std::filesystem::path& run);

}  // namespace stepscope
