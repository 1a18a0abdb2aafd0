// SPDX-License-Identifier: Apache-2.0
// A bounds-checked cursor over bytes that nobody vouches for. A read past the end (or a varint of
// more than 64 bits) gives 0 and makes ok() false for good, so a caller checks once after a group
// of reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/store/format.hpp"

namespace stepscope::store {

using Bytes = std::span<const std::uint8_t>;

// Advances `at`; false where the bytes end first or the number has more than 64 bits.
inline bool read_varint(const std::uint8_t*& at, const std::uint8_t* end, std::uint64_t& value) {
  if (at < end && *at < 0x80U) {
    value = *at++;
    return true;
  }
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
    const std::uint64_t byte = *at++;
    if (shift == 63 && byte > 1) return false;
    result |= (byte & 0x7fU) << shift;
    if (byte < 0x80U) {
      value = result;
      return true;
    }
  }
  return false;
}

class ByteSource {
 public:
  ByteSource() = default;
  explicit ByteSource(Bytes bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  bool more() const { return ok_ && at_ < end_; }
  void fail() {
    ok_ = false;
    at_ = end_;
  }

  template <class T>
  T get() {
    if (left() < sizeof(T)) return fail(), T{};
    const T value = load_as<T>(at_);
    at_ += sizeof(T);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    if (!read_varint(at_, end_, value)) fail();
    return ok_ ? value : 0;
  }
  std::uint32_t varint32() {
    const std::uint64_t value = varint();
    if (value > 0xffffffffU) fail();
    return ok_ ? static_cast<std::uint32_t>(value) : 0;
  }
  std::int64_t zigzag() { return unzigzag(varint()); }
  Bytes take(std::size_t bytes) {
    if (left() < bytes) return fail(), Bytes{};
    const Bytes taken(at_, bytes);
    at_ += bytes;
    return taken;
  }
  std::string_view text() {
    const std::uint64_t length = varint();
    if (length > left()) return fail(), std::string_view{};
    const Bytes taken = take(static_cast<std::size_t>(length));
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

 private:
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  bool ok_ = true;
};

}  // namespace stepscope::store
