// SPDX-License-Identifier: Apache-2.0
// Workflow commands of GitHub Actions. In a message '%', CR and LF are escaped; in a property also
// ':' and ','. GitHub shows ten of a level in a step and drops the rest without a word, so the
// tenth says how many more there are. Internal to reports/github.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::github {

inline constexpr std::size_t kMostShown = 10;  // annotations of a level that GitHub shows in a step

std::string escaped_message(std::string_view text);
std::string escaped_property(std::string_view text);

struct Annotation {
  std::string name;  // for the line that counts those that are not shown
  std::string title;
  std::string message;
  std::string file;  // empty: none
  std::uint32_t line = 0;
};

// Level: "error", "warning", "notice". At most `most` commands, the last one for those left over.
std::string commands(const char* level, const std::vector<Annotation>& all, std::size_t most,
                     std::string_view tool);

}  // namespace stepscope::github
