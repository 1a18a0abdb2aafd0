// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/salvage.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "collectors/recorder/live_files/numbered_name.hpp"

namespace stepscope::recorder {
namespace {

constexpr std::size_t kSpace = std::size_t{1} << 20U;
constexpr std::size_t kMostText = 4096;

}  // namespace

bool keep_last_space(const char* path) noexcept {
  const int fd = create_backed_file(path, kSpace, kSpace);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

void give_up_last_space(const char* path, std::string_view why) noexcept {
  const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return;
  const ssize_t written = pwrite(fd, why.data(), why.size(), 0);
  const bool cut = ftruncate(fd, written > 0 ? written : 0) == 0;
  close(fd);
  if (!cut) unlink(path);
}

std::string last_words(const std::string& path) {
  std::array<char, kMostText> text{};
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t size = read(fd, text.data(), text.size());
  close(fd);
  const bool is_given_up = size > 0 && text[0] != '\0';
  return is_given_up ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

}  // namespace stepscope::recorder
