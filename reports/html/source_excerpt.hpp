// SPDX-License-Identifier: Apache-2.0
// The lines of a source file around one that a trace names, as the file is when the page is
// written.
//
// Only regular files that look like source are read: a trace may come from a stranger, and a page
// is made to be passed on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

struct SourceExcerpt {
  std::uint32_t first_line = 1;
  std::vector<std::string> lines;  // without line ends; long ones are cut
};

inline constexpr std::uint32_t kLinesAround = 3;

// Empty where the file is not at hand, is no source, or has no such line.
SourceExcerpt source_excerpt(const std::string& file, std::uint32_t line,
                             std::uint32_t around = kLinesAround);

}  // namespace stepscope
