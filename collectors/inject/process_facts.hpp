// SPDX-License-Identifier: Apache-2.0
// The facts that a trace holds about its process: command, host, rank, environment of rank and
// launcher, versions.
#pragma once

#include <array>
#include <cstddef>

namespace stepscope::inject {

// Called once a session, so that a forked child records its own facts. The recorder's lock is held:
// this must not wait for the loader (no dlsym), which may itself be waiting for us in another
// thread.
void record_process_facts() noexcept;

// Records which rank of how many this process is, where its first process group of two or more says it
// and the launcher's variables say nothing or less. Forked children are of that rank, too.
void record_process_group(int rank, int size) noexcept;

void record_python_version() noexcept;

// The command line of this process as the kernel holds it; there before main and in a library that
// was opened late. Longer ones are cut.

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
