// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/guests/record_queue.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace stepscope::cupti {
namespace {

constexpr std::size_t kLeastBytes = std::size_t{1} << 16U;
constexpr std::size_t kKeptBytes = std::size_t{4} << 20U;  // while it is empty

}  // namespace

bool RecordQueue::reserve(std::size_t bytes) noexcept {
  if (bytes <= capacity_) return true;
  if (bytes > kMostBytes) return false;
  const std::size_t wanted = std::min(kMostBytes, std::max({kLeastBytes, 2 * capacity_, bytes}));
  void* const data = std::realloc(data_, wanted);
  if (data == nullptr) return false;
  data_ = static_cast<std::uint8_t*>(data);
  capacity_ = wanted;
  return true;
}

bool RecordQueue::put(std::span<const std::uint8_t> record) noexcept {
  const std::size_t bytes = record.size();
  if (!reserve(end_ + sizeof bytes + bytes)) return false;
  std::memcpy(data_ + end_, &bytes, sizeof bytes);
  std::memcpy(data_ + end_ + sizeof bytes, record.data(), bytes);
  end_ += sizeof bytes + bytes;
  return true;
}

std::span<const std::uint8_t> RecordQueue::first() const noexcept {
  if (taken_ == end_) return {};
  std::size_t bytes = 0;
  std::memcpy(&bytes, data_ + taken_, sizeof bytes);
  return {data_ + taken_ + sizeof bytes, bytes};
}

void RecordQueue::pop() noexcept {
  taken_ += sizeof(std::size_t) + first().size();
  if (taken_ == end_) clear();
}

void RecordQueue::clear() noexcept {
  end_ = taken_ = 0;
  if (capacity_ <= kKeptBytes) return;
  std::free(data_);
  data_ = nullptr;
  capacity_ = 0;
}

}  // namespace stepscope::cupti
