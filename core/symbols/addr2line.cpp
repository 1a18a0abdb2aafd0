// SPDX-License-Identifier: Apache-2.0
#include "core/symbols/addr2line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

extern char** environ;

namespace stepscope {
namespace {

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

bool parse_number(std::string_view text, int base, auto& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

// "FILE:LINE", "FILE:LINE (discriminator 2)", "FILE:?", "??:0".
SourceFrame frame_of(std::string_view function, std::string_view place) {
  SourceFrame frame;
  if (function != "??") frame.function = function;
  place = place.substr(0, place.find(" (discriminator"));
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || place.substr(0, colon) == "??") return frame;
  if (parse_number(place.substr(colon + 1), 10, frame.line) && frame.line > 0)
    frame.file = std::filesystem::path(place.substr(0, colon)).lexically_normal().string();
  return frame;
}

std::string tool() {
  const char* given = std::getenv("STEPSCOPE_ADDR2LINE");
  return given == nullptr || given[0] == '\0' ? "addr2line" : given;
}

// Files without a name stand for pipes, which would have to be written and read in turns.
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File unnamed_file() {
  return {std::tmpfile(), std::fclose};
}

void write_addresses(std::FILE* to, const std::vector<std::uint64_t>& addresses) {
  for (const std::uint64_t address : addresses) fmt::print(to, "0x{:x}\n", address);
  std::rewind(to);
}

std::string read_all(std::FILE* from) {
  std::rewind(from);
  std::string text;
  std::array<char, 1 << 16> piece{};
  for (std::size_t size = 0; (size = std::fread(piece.data(), 1, piece.size(), from)) > 0;)
    text.append(piece.data(), size);
  return text;
}

Result<pid_t> start(const std::string& program, const std::string& file, std::FILE* input,
                    std::FILE* output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::array<std::string, 4> words = {program, "-afiC", "-e", file};
  std::array<char*, 5> arguments = {words[0].data(), words[1].data(), words[2].data(),
                                    words[3].data(), nullptr};
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return child;
  return Error{ErrorCode::unsupported,
               fmt::format("cannot run {} ({}): apt-get install binutils, then ask again", program,
                           std::strerror(error))};
}

}  // namespace

SourceFrames parse_addr2line(std::string_view printed) {
  SourceFrames out;
  std::vector<SourceFrame>* frames = nullptr;
  while (!printed.empty()) {
    const std::string_view line = next_line(printed);
    std::uint64_t address = 0;
    if (line.starts_with("0x") && parse_number(line.substr(2), 16, address)) {
      frames = &out[address];
    } else if (frames != nullptr && !printed.empty()) {
      frames->push_back(frame_of(line, next_line(printed)));
    }
  }
  return out;
}

Result<SourceFrames> ask_addr2line(const std::string& file,
                                   const std::vector<std::uint64_t>& addresses) {
  const std::string program = tool();
  const File input = unnamed_file(), output = unnamed_file();
  if (input == nullptr || output == nullptr)
    return io_error(fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
  write_addresses(input.get(), addresses);
  const Result<pid_t> child = start(program, file, input.get(), output.get());
  if (!child) return child.error();
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return io_error(fmt::format("{} failed on {}", program, file));
  return parse_addr2line(read_all(output.get()));
}

}  // namespace stepscope
