// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/calls/stream_ids.hpp"

namespace stepscope::cupti {
namespace {

constexpr std::uintptr_t kLegacyHandle = 1;     // cudaStreamLegacy
constexpr std::uintptr_t kPerThreadHandle = 2;  // cudaStreamPerThread
constexpr std::uint64_t kForgotten = 1;

// Addresses of user space have 47 bits: this one marks an id in the place of a handle, and a
// context's number fits above; a key is never 0 or kForgotten.
constexpr std::uint64_t kOfAThread = std::uint64_t{1} << 47U;
std::uint64_t key_of(std::uint32_t context_uid, std::uint64_t stream) noexcept {
  return (std::uint64_t{context_uid} + 1) << 48U | stream;
}

std::size_t first_slot(std::uint64_t key) noexcept {
  return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15ULL >> 48U);
}

bool ask(const Library& library, void* context, void* stream, bool per_thread,
         std::uint32_t& id) noexcept {
  return library.stream_id(context, stream, per_thread ? 1 : 0, &id) == kSuccess;
}

recorder::StreamRef intern(const Library& library, void* context, std::uint32_t context_uid,
                           std::uint32_t id) noexcept {
  std::uint32_t device = 0;
  (void)library.device_id(context, &device);
  return recorder::intern_stream(device, context_uid, id);
}

}  // namespace

[[gnu::hot]] recorder::StreamRef StreamIds::find(const Library& library, void* context,
                                                 std::uint32_t context_uid, void* stream,
                                                 bool per_thread_default) noexcept {
  if (context == nullptr) return recorder::kNoStream;
  auto handle = reinterpret_cast<std::uintptr_t>(stream);
  const bool per_thread = handle == kPerThreadHandle || (handle == 0 && per_thread_default);
  if (handle == kLegacyHandle) handle = 0, stream = nullptr;
  std::uint32_t id = 0;
  if (per_thread && !ask(library, context, stream, true, id)) return recorder::kNoStream;
  const std::uint64_t key = key_of(context_uid, per_thread ? kOfAThread | id : handle);
  Slot* free_slot = nullptr;
  for (std::size_t i = 0; i < kProbes; ++i) {
    Slot& slot = slots_[(first_slot(key) + i) % kSlots];
    const std::uint64_t known = slot.key.load(std::memory_order_acquire);
    if (known == key) return slot.ref.load(std::memory_order_relaxed);
    if (known <= kForgotten && free_slot == nullptr) free_slot = &slot;
    if (known == 0) break;
  }
  if (!per_thread && !ask(library, context, stream, false, id)) return recorder::kNoStream;
  const recorder::StreamRef ref = intern(library, context, context_uid, id);
  std::uint64_t expected = free_slot == nullptr ? 0 : free_slot->key.load();
  // Claimed first with a key that nobody looks for, so that no thread reads a ref that is not
  // there.
  if (ref != recorder::kNoStream && free_slot != nullptr && expected <= kForgotten &&
      free_slot->key.compare_exchange_strong(expected, ~std::uint64_t{0})) {
    free_slot->ref.store(ref, std::memory_order_relaxed);
    free_slot->key.store(key, std::memory_order_release);
  }
  return ref;
}

void StreamIds::forget_everywhere(void* stream) noexcept {
  constexpr std::uint64_t kHandle = (std::uint64_t{1} << 48U) - 1;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  for (Slot& slot : slots_) {
    std::uint64_t known = slot.key.load(std::memory_order_relaxed);
    if (known > kForgotten && (known & kHandle) == handle)
      slot.key.compare_exchange_strong(known, kForgotten);
  }
}

}  // namespace stepscope::cupti
