// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace stepscope::launcher {

// One line to the user, on stderr. Where that cannot be written the line is lost and nothing else:
// fmt::print would throw.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  const std::string line = "stepscope: " + fmt::format(text, std::forward<Args>(args)...) + "\n";
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace stepscope::launcher
