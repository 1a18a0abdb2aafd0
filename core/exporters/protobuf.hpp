// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers, as much of it as is written: varints, doubles, fixed 64-bit
// numbers, texts and messages within messages.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::exporting {

class Message {
 public:
  Message& number(std::uint32_t field, std::uint64_t value) {
    tag(field, 0);
    varint(value);
    return *this;
  }
  Message& fixed64(std::uint32_t field, std::uint64_t value) {
    tag(field, 1);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte) & 0xff);
    return *this;
  }
  Message& real(std::uint32_t field, double value) {
    return fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  Message& text(std::uint32_t field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(std::uint32_t field, const Message& value) { return text(field, value.bytes_); }

  std::string_view bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void tag(std::uint32_t field, std::uint32_t type) { varint(std::uint64_t{field} << 3U | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace stepscope::exporting
