// SPDX-License-Identifier: Apache-2.0
// What a verb says on stderr. A stderr that cannot be written (a full disk, a closed descriptor)
// ends nothing: the words are lost, the exit code is not.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "cli/output/exit_codes.hpp"

namespace stepscope {

template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  const std::string line = fmt::format(text, std::forward<Args>(args)...);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// One line, "stepscope report: FILE: what; what to do". Prints it and gives the exit code.
// `subject` (a file, may be empty) is put in front of a message that does not name it.
int fail(std::string_view verb, std::string_view subject, const Error& error);

}  // namespace stepscope
