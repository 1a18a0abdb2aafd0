// SPDX-License-Identifier: Apache-2.0
// Small functions on text: a word for a shell, the nearest of several names, the end of a path, valid
// UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// A word of a command as one types it into a shell, for hints that are copied.
// "run.scope" as it is; "my run.scope" as 'my run.scope'. Letters beyond ASCII need no quotes.
std::string shell_word(std::string_view word);

// The candidate that a mistyped word was most likely meant to be; empty where none is near.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// Returns whether `path` ends with the parts of `end`: "a/train.py" with "train.py", not with "in.py".
bool ends_with_path(std::string_view path, std::string_view end);

// One code point as UTF-8, into a buffer with room for four bytes. What is not a code point becomes
// U+FFFD.
inline std::size_t append_utf8(char* out, std::uint32_t c) noexcept {
  const auto put = [out](std::size_t i, std::uint32_t byte) {
    out[i] = static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  const std::size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (size == 1) return put(0, c), size;
  for (std::size_t i = size; --i > 0; c >>= 6) put(i, 0x80 | (c & 0x3F));
  put(0, (0xF00U >> size & 0xFF) | c);  // 110xxxxx, 1110xxxx, 11110xxx
  return size;
}

}  // namespace stepscope
