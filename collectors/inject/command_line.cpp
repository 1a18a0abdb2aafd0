// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/process_facts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace stepscope::inject {

CommandLine& read_command_line() noexcept {
  static constinit CommandLine command;
  if (command.argc != 0) return command;
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return command;
  const ssize_t bytes = read(fd, command.text.data(), command.text.size() - 1);
  close(fd);
  for (ssize_t at = 0; at < bytes && command.argc < static_cast<int>(command.argv.size());) {
    const char* word = command.text.data() + at;
    command.argv[static_cast<std::size_t>(command.argc++)] = word;
    at += static_cast<ssize_t>(std::strlen(word)) + 1;
  }
  return command;
}

const char* joined(const CommandLine& command, char* out, std::size_t size) noexcept {
  std::size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < command.argc && used < size; ++i) {
    const char* word = command.argv[static_cast<std::size_t>(i)];
    const bool quote = *word == '\0' || std::strpbrk(word, " \t\n'\"") != nullptr;
    const int more =
        std::snprintf(out + used, size - used, quote ? "%s'%s'" : "%s%s", i == 0 ? "" : " ", word);
    used += more > 0 ? static_cast<std::size_t>(more) : 0;
  }
  return out;
}

}  // namespace stepscope::inject
