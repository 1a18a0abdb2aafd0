// SPDX-License-Identifier: Apache-2.0
// Errors as one line on stderr: "stepscope report: FILE: what; what to do".
#pragma once

#include <string_view>

#include "cli/exit_codes.hpp"

namespace stepscope {

// Prints the line and gives the exit code. `subject` (a file, may be empty) is put in front of a
// message that does not name it.
int fail(std::string_view verb, std::string_view subject, const Error& error);

}  // namespace stepscope
