// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/live_files/numbered_name.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace stepscope::recorder {
namespace {

constexpr std::uint64_t kBase = 11;

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

std::string_view digits_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(at, end - at);
}

// Numbers, taken in their order.
class Packed {
 public:
  bool take(std::string_view digits) noexcept {
    const std::size_t wanted = digits.size() + (count_ > 0 ? 1 : 0);
    if (count_ + wanted > kMaxNumberDigits) return false;
    if (count_ > 0) value_ *= kBase;
    for (const char c : digits) value_ = value_ * kBase + static_cast<std::uint64_t>(c - '0' + 1);
    count_ += wanted;
    return true;
  }
  std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
  std::size_t count_ = 0;
};

// The base-11 digits of a number, first one first; 0 behind the last.
class Digits {
 public:
  explicit Digits(std::uint64_t number) noexcept {
    for (; number != 0 && count_ < digits_.size(); number /= kBase)
      digits_[count_++] = static_cast<int>(number % kBase);
    std::reverse(digits_.begin(), digits_.begin() + count_);
  }
  int operator[](std::size_t at) const noexcept { return at < count_ ? digits_[at] : 0; }

 private:
  std::array<int, kMaxNumberDigits + 1> digits_{};  // room for any 46 bits
  std::uint32_t count_ = 0;
};

}  // namespace

NumberedName take_numbers(std::string_view text) noexcept {
  NumberedName name;
  if (text.size() > kMaxPattern || text.find(kNumber) != std::string_view::npos) return name;
  Packed packed;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view digits = digits_at(text, at);
    if (digits.empty()) {
      name.pattern.add(text[at++]);
      continue;
    }
    name.numbered = true;
    name.pattern.add(packed.take(digits) ? kNumber : '#');
    at += digits.size();
  }
  name.numbers = packed.value();
  return name;
}

NameText with_numbers(std::string_view pattern, std::uint64_t numbers) noexcept {
  const Digits digits(numbers);
  std::size_t next = 0;
  NameText text;
  for (const char c : pattern) {
    if (c != kNumber) {
      text.add(c);
      continue;
    }
    for (; digits[next] != 0; ++next) text.add(static_cast<char>('0' + digits[next] - 1));
    ++next;  // between two numbers
  }
  return text;
}

bool may_be_as_large(std::size_t size) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         size <= limit.rlim_cur;
}

int create_backed_file(const char* path, std::size_t size, std::size_t allocated) noexcept {
  if (!may_be_as_large(size)) return -1;
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return -1;
  if (allocate_blocks(fd, 0, allocated) && ftruncate(fd, static_cast<off_t>(size)) == 0) return fd;
  close(fd);
  unlink(path);
  return -1;
}

void* map_shared(int fd, std::size_t size, void* address) noexcept {
  const int flags = MAP_SHARED | MAP_NORESERVE | (address != nullptr ? MAP_FIXED : 0);
  void* at = mmap(address, size, PROT_READ | PROT_WRITE, flags, fd, 0);
  return at == MAP_FAILED ? nullptr : at;
}

bool allocate_blocks(int fd, std::size_t offset, std::size_t size) noexcept {
  return may_be_as_large(offset + size) &&
         posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(size)) == 0;
}

}  // namespace stepscope::recorder
