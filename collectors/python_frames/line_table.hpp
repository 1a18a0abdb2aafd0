// SPDX-License-Identifier: Apache-2.0
// The location table of CPython 3.11 and later (co_linetable), as its documentation describes it.
//
// A sequence of entries, each for 1 to 8 code units (of two bytes) in order:
//   first byte   1 cccc nnn: kind c, n + 1 units
//   c 0..9       one more byte: columns; same line
//   c 10..12     two more bytes: columns; line += c - 10
//   c 13         signed varint line delta; no columns
//   c 14         signed varint line delta, then varints: end line delta, column, end column
//   c 15         no location at all
// A varint has 6 bits a byte, low first; bit 6 says that more follow. Signed: the lowest bit is the
// sign.
//
// 3.10 has pairs of bytes: how many bytes of code, and a signed line delta for them (-128: no
// line). 3.9 (co_lnotab) has pairs, too: bytes of code until the next pair counts, and a signed
// delta from there on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::python {

inline constexpr int kNoLine = -1;    // the instruction belongs to no line
inline constexpr int kBadTable = -2;  // cut or malformed, or the unit lies beyond its end

// The line of code unit `unit`. Reads only table[0, size).
int line_of_unit(const unsigned char* table, std::size_t size, int first_line,
                 std::size_t unit) noexcept;
int line_of_unit_310(const unsigned char* table, std::size_t size, int first_line,
                     std::size_t unit) noexcept;
int line_of_unit_39(const unsigned char* table, std::size_t size, int first_line,
                    std::size_t unit) noexcept;

// Returns the line at which such an instruction is shown. One of no line is at its function's first:
// the interpreter makes cells there before the body begins, and a garbage collection may set in.
constexpr std::uint32_t shown_line(int line, int first_line) noexcept {
  const int shown = line == kNoLine ? first_line : line;
  return shown > 0 ? static_cast<std::uint32_t>(shown) : 0;
}

}  // namespace stepscope::python
