// SPDX-License-Identifier: Apache-2.0
// Names that differ in their numbers alone ("step 12", "epoch 3/iter 7", "batch_000123"): the
// pattern that they share, and their numbers as one number, so that any count of them takes one
// entry of the table of names.
//
// In the pattern kNumber stands for each number. The numbers are their digits in base 11, first
// digit highest: 1 to 10 for 0 to 9 (leading zeros count), 0 between two numbers. 13 such digits
// fit; a number that does not fit behind those before it is lost, and is "#" in the pattern.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope::recorder {

inline constexpr char kNumber = '\x01';
inline constexpr std::size_t kMaxNumberDigits = 13;
inline constexpr std::size_t kMaxPattern = 1024;

// A text without allocation; what does not fit is cut off.
class NameText {
 public:
  void add(char c) noexcept {
    if (size_ < text_.size()) text_[size_++] = c;
  }
  std::string_view view() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, kMaxPattern + kMaxNumberDigits> text_;
  std::size_t size_ = 0;
};

struct NumberedName {
  NameText pattern;
  std::uint64_t numbers = 0;  // 0: none fits
  bool numbered = false;      // false: no number, or a text that cannot be taken apart
};

NumberedName take_numbers(std::string_view text) noexcept;
NameText with_numbers(std::string_view pattern, std::uint64_t numbers) noexcept;

// Files that are written through memory. Their blocks are allocated before use: a store into a hole
// of a full disk would kill the process with SIGBUS.

// Within the limit on the size of files (ulimit -f). Beyond it the kernel would kill the process
// with SIGXFSZ.
bool may_be_as_large(std::size_t size) noexcept;

// Creates `path` (must not exist) with `allocated` bytes of `size` backed by blocks; -1 where that
// fails.
int create_backed_file(const char* path, std::size_t size, std::size_t allocated) noexcept;

// Maps all of `fd` shared; at `address` over what is there, where not null. Null where that fails.
void* map_shared(int fd, std::size_t size, void* address) noexcept;

bool allocate_blocks(int fd, std::size_t offset, std::size_t size) noexcept;

}  // namespace stepscope::recorder
