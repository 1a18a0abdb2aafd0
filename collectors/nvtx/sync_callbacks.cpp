// SPDX-License-Identifier: Apache-2.0
// Module SYNC: user-defined locks. Waiting for one (acquire start to success or failure) is a range
// "acquire NAME" in the lane of waits; holding it is not recorded.
//
// A lock's handle packs all there is to know, so nothing is allocated: 1 << 48 | domain << 32 |
// name.
#include <cstdint>
#include <cstdio>

#include "collectors/nvtx/callbacks.hpp"
#include "collectors/nvtx/messages.hpp"
#include "collectors/nvtx/ranges.hpp"
#include "core/model/events.hpp"

namespace stepscope::nvtx {
namespace {

recorder::NameId wait_name(const SyncAttributes& lock) noexcept {
  const bool named = lock.size >= sizeof(SyncAttributes) && lock.message_type != kMessageNone;
  const char* name =
      named ? recorder::name_text(label_of(lock.message_type, lock.message)) : "(unnamed)";
  char text[256];
  const int size = std::snprintf(text, sizeof text, "acquire %s", name);
  const auto full = static_cast<std::size_t>(size < 0 ? 0 : size);
  return recorder::intern_name(text, full < sizeof text ? full : sizeof text - 1);
}

std::uintptr_t lock_create(const Domain* domain, const SyncAttributes* lock) noexcept {
  if (lock == nullptr) return 0;
  return std::uintptr_t{1} << 48 | std::uintptr_t{index_of(domain)} << 32 | wait_name(*lock);
}

const Domain* domain_of(std::uintptr_t handle) noexcept {
  return domain_at(static_cast<std::uint32_t>(handle >> 32 & 0xFFFF));
}

void acquire_start(std::uintptr_t handle) noexcept {
  if (handle == 0 || !recorder::is_armed()) return;
  const Domain* domain = domain_of(handle);
  recorder::begin_range(kSyncLane, HostKind::nvtx_range,
                        static_cast<recorder::NameId>(handle & 0xFFFFFFFF), category_of(domain), 0,
                        kNoSequence);
}

void acquire_end(std::uintptr_t handle) noexcept {
  if (handle != 0) recorder::end_range(kSyncLane);
}

void ignore_lock(std::uintptr_t) noexcept {}

}  // namespace

std::span<const Callback> sync_callbacks() noexcept {
  static const Callback kCallbacks[] = {
      callback(1, lock_create),   callback(2, ignore_lock),  // destroy
      callback(3, acquire_start), callback(4, acquire_end),
      callback(5, acquire_end),   callback(6, ignore_lock),  // releasing
  };
  return kCallbacks;
}

}  // namespace stepscope::nvtx
