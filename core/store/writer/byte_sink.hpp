// SPDX-License-Identifier: Apache-2.0
// A growing byte buffer to encode into. room(n) gives a pointer with at least n writable bytes
// after it; advance_to(end) says how far they were used, so that inner loops write through a bare
// pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/store/format.hpp"

namespace stepscope::store {

inline constexpr std::size_t kMaxVarintBytes = 10;

// 7 bits a byte, low bits first; the top bit says that more follow.
inline std::uint8_t* write_varint(std::uint8_t* at, std::uint64_t value) {
  while (value >= 0x80U) {
    *at++ = static_cast<std::uint8_t>(value | 0x80U);
    value >>= 7U;
  }
  *at++ = static_cast<std::uint8_t>(value);
  return at;
}

class ByteSink {
 public:
  const std::uint8_t* data() const { return bytes_.get(); }
  std::uint8_t* data() { return bytes_.get(); }
  std::size_t size() const { return size_; }
  void resize_down(std::size_t size) { size_ = size; }

  std::uint8_t* room(std::size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return bytes_.get() + size_;
  }
  void advance_to(const std::uint8_t* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }

  template <class T>
  void put(T value) {
    std::memcpy(room(sizeof value), &value, sizeof value);
    size_ += sizeof value;
  }
  template <class T>
  void patch(std::size_t offset, T value) {
    std::memcpy(bytes_.get() + offset, &value, sizeof value);
  }
  void put_varint(std::uint64_t value) { advance_to(write_varint(room(kMaxVarintBytes), value)); }
  void put_zigzag(std::int64_t value) { put_varint(zigzag(value)); }
  void put_bytes(const void* data, std::size_t bytes) {
    std::uint8_t* at = room(bytes);
    if (bytes > 0) std::memcpy(at, data, bytes);
    size_ += bytes;
  }

 private:
  void grow(std::size_t bytes) {
    const std::size_t wanted = size_ + bytes;
    capacity_ = wanted + wanted / 2 + 4096;
    std::unique_ptr<std::uint8_t[]> larger(new std::uint8_t[capacity_]);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
  }

  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// A length that is known only once its content is written: 4 bytes, patched by end().
class LengthPatch {
 public:
  explicit LengthPatch(ByteSink& sink) : sink_(sink), at_(sink.size()) {
    sink.put(std::uint32_t{0});
  }
  void end() { sink_.patch(at_, static_cast<std::uint32_t>(sink_.size() - at_ - 4)); }

 private:
  ByteSink& sink_;
  std::size_t at_;
};

}  // namespace stepscope::store
