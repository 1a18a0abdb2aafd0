// SPDX-License-Identifier: Apache-2.0
// Records on their way to a guest, in order: out of CUPTI's buffer, which is used again at once, and
// not yet in the guest's. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stepscope::cupti {

class RecordQueue {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

  // False: the guest is so far behind that there is no room, or no memory.
  bool put(std::span<const std::uint8_t> record) noexcept;
  std::span<const std::uint8_t> first() const noexcept;  // empty: there is none
  void pop() noexcept;
  void clear() noexcept;

 private:
  bool reserve(std::size_t bytes) noexcept;

  // Each record behind its length.
  std::uint8_t* data_ = nullptr;
  std::size_t capacity_ = 0, end_ = 0, taken_ = 0;
};

}  // namespace stepscope::cupti
