// SPDX-License-Identifier: Apache-2.0
// One code point as UTF-8, into a buffer with room for four bytes. What is not a code point becomes
// U+FFFD.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope {

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
