// SPDX-License-Identifier: Apache-2.0
// Space on the disk that a recording reserves for its own end, in live/STEM.last. When the disk
// becomes full, the space is released, so that the last facts, a note and the footer still fit into
// the store. The remaining file says why; the launcher prints it and removes the file
// (salvage.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope::recorder {

inline constexpr std::string_view kLastSpaceSuffix = ".last";

// False where there is no such space; the recording goes on without it.
bool keep_last_space(const char* path) noexcept;
// Frees the space but for the text. The text is written into blocks that are there already, which a
// full disk allows.
void give_up_last_space(const char* path, std::string_view why) noexcept;
// Returns why the space was given up; empty where it was not.
std::string last_words(const std::string& path);

}  // namespace stepscope::recorder
