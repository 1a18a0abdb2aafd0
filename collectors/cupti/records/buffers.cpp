// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/records/buffers.hpp"

#include <cstdlib>
#include <cstring>

namespace stepscope::cupti {

Buffers::Header* Buffers::make() noexcept {
  auto* header = static_cast<Header*>(std::aligned_alloc(64, kHeaderBytes + kBytes));
  if (header == nullptr) return nullptr;
  std::memset(static_cast<void*>(header), 0, kHeaderBytes + kBytes);  // touches every page
  return header;
}

std::uint8_t* Buffers::give() noexcept {
  given_.store(true, std::memory_order_relaxed);
  if (in_use_.fetch_add(1, std::memory_order_relaxed) >= kMostInUse) {
    in_use_.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
  for (std::atomic<Header*>& slot : spare_) {
    if (slot.load(std::memory_order_relaxed) == nullptr) continue;
    if (Header* header = slot.exchange(nullptr, std::memory_order_acquire)) return data_of(header);
  }
  made_late_.fetch_add(1, std::memory_order_relaxed);
  Header* header = make();
  if (header != nullptr) return data_of(header);
  in_use_.fetch_sub(1, std::memory_order_relaxed);
  return nullptr;
}

void Buffers::take_back(std::uint8_t* data, std::size_t valid_bytes, void* context,
                        std::uint32_t stream) noexcept {
  Header* header = header_of(data);
  header->valid_bytes = valid_bytes;
  header->context = context;
  header->stream = stream;
  header->next = completed_.load(std::memory_order_relaxed);
  while (!completed_.compare_exchange_weak(header->next, header, std::memory_order_release,
                                           std::memory_order_relaxed)) {
  }
}

Buffers::Completed Buffers::next_completed() noexcept {
  if (ordered_ == nullptr) {
    Header* newest = completed_.exchange(nullptr, std::memory_order_acquire);
    while (newest != nullptr) {
      Header* older = newest->next;
      newest->next = ordered_;
      ordered_ = newest;
      newest = older;
    }
  }
  if (ordered_ == nullptr) return {};
  Header* header = ordered_;
  ordered_ = header->next;
  return {data_of(header), header->valid_bytes, header->context, header->stream};
}

void Buffers::recycle(std::uint8_t* data) noexcept {
  in_use_.fetch_sub(1, std::memory_order_relaxed);
  Header* header = header_of(data);
  for (std::atomic<Header*>& slot : spare_) {
    Header* empty = nullptr;
    if (slot.compare_exchange_strong(empty, header, std::memory_order_release)) return;
  }
  std::free(header);
}

void Buffers::fill_up() noexcept {
  for (std::atomic<Header*>& slot : spare_) {
    if (slot.load(std::memory_order_relaxed) != nullptr) continue;
    Header* made = make();
    Header* empty = nullptr;
    if (made != nullptr && !slot.compare_exchange_strong(empty, made, std::memory_order_release))
      std::free(made);
  }
}

}  // namespace stepscope::cupti
