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

}  // namespace stepscope::recorder
