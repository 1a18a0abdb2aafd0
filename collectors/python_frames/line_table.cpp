// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/line_table.hpp"

namespace stepscope::python {
namespace {

class Reader {
 public:
  Reader(const unsigned char* at, std::size_t size) noexcept : at_(at), end_(at + size) {}

  bool done() const noexcept { return at_ == end_; }
  bool cut() const noexcept { return cut_; }
  unsigned byte() noexcept {
    if (at_ == end_) return cut_ = true, 0;
    return *at_++;
  }
  void skip(unsigned bytes) noexcept {
    while (bytes-- > 0) byte();
  }
  unsigned varint() noexcept {
    unsigned value = 0;
    for (unsigned shift = 0; !cut_; shift += 6) {
      const unsigned next = byte();
      if (shift < 32) value |= (next & 63) << shift;
      if ((next & 64) == 0) break;
    }
    return value;
  }
  int signed_varint() noexcept {
    const unsigned value = varint();
    const int size = static_cast<int>(value >> 1);
    return (value & 1) != 0 ? -size : size;
  }

 private:
  const unsigned char* at_;
  const unsigned char* end_;
  bool cut_ = false;
};

constexpr unsigned kOneLine = 10, kNoColumns = 13, kLong = 14, kNone = 15;

// Reads what follows an entry's first byte; returns its line delta.
int read_entry(Reader& reader, unsigned kind) noexcept {
  if (kind == kNone) return 0;
  if (kind == kNoColumns) return reader.signed_varint();
  if (kind == kLong) {
    const int delta = reader.signed_varint();
    for (int column_field = 0; column_field < 3; ++column_field) reader.varint();
    return delta;
  }
  if (kind >= kOneLine) return reader.skip(2), static_cast<int>(kind - kOneLine);
  return reader.skip(1), 0;
}

}  // namespace

int line_of_unit(const unsigned char* table, std::size_t size, int first_line,
                 std::size_t unit) noexcept {
  Reader reader(table, size);
  auto line = static_cast<unsigned>(first_line);  // unsigned: a hostile table may wrap it
  std::size_t end = 0;
  while (!reader.done()) {
    const unsigned head = reader.byte();
    if ((head & 0x80) == 0) return kBadTable;
    const unsigned kind = head >> 3 & 15;
    line += static_cast<unsigned>(read_entry(reader, kind));
    if (reader.cut()) return kBadTable;
    end += (head & 7) + 1;
    if (unit < end) return kind == kNone ? kNoLine : static_cast<int>(line);
  }
  return kBadTable;
}

int line_of_unit_310(const unsigned char* table, std::size_t size, int first_line,
                     std::size_t unit) noexcept {
  constexpr int kNoDelta = -128;
  auto line = static_cast<unsigned>(first_line);
  std::size_t end = 0;
  for (std::size_t at = 0; at + 1 < size; at += 2) {
    const int delta = static_cast<signed char>(table[at + 1]);
    if (delta != kNoDelta) line += static_cast<unsigned>(delta);
    end += table[at];
    if (2 * unit < end) return delta == kNoDelta ? kNoLine : static_cast<int>(line);
  }
  return kBadTable;
}

int line_of_unit_39(const unsigned char* table, std::size_t size, int first_line,
                    std::size_t unit) noexcept {
  auto line = static_cast<unsigned>(first_line);
  std::size_t begin = 0;
  for (std::size_t at = 0; at + 1 < size; at += 2) {
    begin += table[at];
    if (begin > 2 * unit) break;
    line += static_cast<unsigned>(static_cast<int>(static_cast<signed char>(table[at + 1])));
  }
  return static_cast<int>(line);
}

}  // namespace stepscope::python
