// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>

namespace stepscope::launcher {

// One line to the user, on stderr.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  fmt::print(stderr, "stepscope: {}\n", fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace stepscope::launcher
