// SPDX-License-Identifier: Apache-2.0
// The command line of this process as the kernel holds it; there before main and in a library that
// was opened late. Longer ones are cut.
#pragma once

#include <array>
#include <cstddef>

namespace stepscope::inject {

struct CommandLine {
  std::array<char, 16384> text{};
  std::array<const char*, 512> argv{};
  int argc = 0;
};

// Reads it at the first call; exec starts a new image anyway.
CommandLine& read_command_line() noexcept;

// The words with spaces between, those with spaces in quotes.
const char* joined(const CommandLine& command, char* out, std::size_t size) noexcept;

}  // namespace stepscope::inject
