// SPDX-License-Identifier: Apache-2.0
// What an exception says to a user. LibTorch's text goes on behind its first line with where it was
// thrown and the frames of the stack.
#pragma once

#include <exception>
#include <string>

namespace stepscope::trainers {

// Empty lines before it do not count.
std::string first_line(const std::exception& thrown);

}  // namespace stepscope::trainers
