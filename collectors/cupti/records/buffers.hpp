// SPDX-License-Identifier: Apache-2.0
// Host buffers that CUPTI fills with records. CUPTI asks for one on a thread of the program, so
// giving is one pop from a list of buffers that are already touched; it returns them on a thread of
// its own, so taking back is one push. The writer thread decodes them and keeps the list filled.
//
// A buffer is kBytes long and 64-byte aligned; its header lies before it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stepscope::cupti {

class Buffers {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20U;
  static constexpr std::uint32_t kSpare = 6;
  // The most buffers in use. Beyond these, while the disk hangs under the writer thread, CUPTI
  // drops records and counts them.
  static constexpr std::uint32_t kMostInUse = 256;

  struct Completed {
    std::uint8_t* data = nullptr;  // null: none is waiting
    std::size_t valid_bytes = 0;
    void* context = nullptr;
    std::uint32_t stream = 0;
  };

  // Null where too many wait for the writer thread, or there is no memory at all.
  std::uint8_t* give() noexcept;
  void take_back(std::uint8_t* data, std::size_t valid_bytes, void* context,
                 std::uint32_t stream) noexcept;

  // Writer thread only. Completed buffers come in the order in which they were returned.
  Completed next_completed() noexcept;
  void recycle(std::uint8_t* data) noexcept;
  void fill_up() noexcept;

  bool any_completed() const noexcept {
    return completed_.load() != nullptr || ordered_ != nullptr;
  }
  std::uint64_t made_in_the_program() const noexcept { return made_late_.load(); }
  bool any_given() const noexcept { return given_.load(); }

 private:
  struct Header {
    Header* next;
    std::size_t valid_bytes;
    void* context;
    std::uint32_t stream;
  };
  static constexpr std::size_t kHeaderBytes = 64;
  static_assert(sizeof(Header) <= kHeaderBytes);

  static std::uint8_t* data_of(Header* header) noexcept {
    return reinterpret_cast<std::uint8_t*>(header) + kHeaderBytes;
  }
  static Header* header_of(std::uint8_t* data) noexcept {
    return reinterpret_cast<Header*>(data - kHeaderBytes);
  }
  Header* make() noexcept;

  // Fixed slots rather than a linked list: several threads pop, and a list would need tagged heads.
  std::atomic<Header*> spare_[kSpare]{};
  std::atomic<Header*> completed_{nullptr};  // newest first
  Header* ordered_ = nullptr;                // oldest first; the writer's
  std::atomic<std::uint64_t> made_late_{0};
  std::atomic<std::uint32_t> in_use_{0};  // given and not recycled
  std::atomic<bool> given_{false};
};

}  // namespace stepscope::cupti
