// SPDX-License-Identifier: Apache-2.0
#include "collectors/record_function/autograd_numbers.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

namespace stepscope {
namespace {

using namespace torch_abi;

// sizeof(at::RecordFunction) is some 500 bytes.
constexpr std::size_t kStorage = 4096;
constexpr std::size_t kNotFound = ~std::size_t{0};
// Bytes from the number to that of the forward thread (2.11): the number itself, a view of the
// inputs, and the two empty containers behind it.
constexpr std::size_t kToForwardThread = 8 + 16 + 56 + 24;
constexpr std::uint64_t kMostThreads = 1U << 24U;

constinit std::atomic<ThreadNumber> peek{nullptr};
constinit std::atomic<ThreadNumber> thread_id{nullptr};
constinit std::atomic<std::size_t> node_offset{kNotFound};

thread_local constinit std::uint32_t last_sequence __attribute__((tls_model("initial-exec"))) = 0;

std::uint64_t load_at(const void* object, std::size_t offset) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, static_cast<const std::byte*>(object) + offset, sizeof(value));
  return value;
}

// Returns where an object keeps the `sequence` that it is given; kNotFound if that is not exactly
// one place.
std::size_t place_of(const TorchLibrary& torch, std::uint64_t sequence) noexcept {
  alignas(std::max_align_t) std::array<std::byte, kStorage> object{};
  torch.construct(object.data(), kBuildFeature);
  torch.before(object.data(), std::string_view("x"), static_cast<std::int64_t>(sequence));
  std::size_t place = kNotFound;
  int places = 0;
  for (std::size_t at = 0; at + kToForwardThread < kStorage; at += sizeof(sequence)) {
    if (load_at(object.data(), at) != sequence) continue;
    place = at;
    ++places;
  }
  torch.destroy(object.data());
  return places == 1 ? place : kNotFound;
}

std::uint32_t as_sequence(std::uint64_t number) noexcept {
  return number < kNoSequence ? static_cast<std::uint32_t>(number) : kNoSequence;
}

}  // namespace

bool find_autograd_numbers(const TorchLibrary& torch) noexcept {
  peek.store(torch.peek_sequence, std::memory_order_relaxed);
  thread_id.store(torch.current_thread_id, std::memory_order_relaxed);
  if (torch.construct == nullptr || torch.before == nullptr || torch.destroy == nullptr)
    return false;
  const std::size_t place = place_of(torch, 0x5ca1ab1e0ddba11ULL);
  if (place == kNotFound || place_of(torch, 0x0b5e55edc0ffee1ULL) != place) return false;
  node_offset.store(place, std::memory_order_release);
  return torch.peek_sequence != nullptr;
}

[[gnu::hot]] std::uint32_t next_sequence() noexcept {
  const ThreadNumber now = peek.load(std::memory_order_relaxed);
  return now == nullptr ? kNoSequence : as_sequence(now());
}

[[gnu::hot]] std::uint64_t changed_sequence() noexcept {
  const std::uint32_t now = next_sequence();
  if (now == last_sequence || now == kNoSequence) return 0;
  last_sequence = now;
  const ThreadNumber thread = thread_id.load(std::memory_order_relaxed);
  const std::uint64_t number = thread == nullptr ? 0 : thread();
  return (number < kMostThreads ? number << 32U : 0) | now;
}

[[gnu::hot]] NodeNumbers node_numbers(const RecordFunction& node) noexcept {
  const std::size_t place = node_offset.load(std::memory_order_acquire);
  if (place == kNotFound) return {};
  const std::uint64_t thread = load_at(&node, place + kToForwardThread);
  return {as_sequence(load_at(&node, place)),
          thread < kMostThreads ? static_cast<std::uint32_t>(thread) : 0};
}

}  // namespace stepscope
