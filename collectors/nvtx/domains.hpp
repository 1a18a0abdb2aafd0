// SPDX-License-Identifier: Apache-2.0
// NVTX domains: a handle is a slot of a fixed table, found by name, so two shared objects that
// create the same domain share it. Slot 0 is the default domain (handle null, empty name). Nothing
// is ever freed: a destroyed domain that is created again gets its old slot. Lock-free.
//
// Recorder lanes: one a domain for its push/pop ranges, and the last one for lock waits (SYNC
// module) of all domains, since a thread waits for one lock at a time.
#pragma once

#include <atomic>
#include <cstdint>

#include "collectors/recorder/recorder.hpp"

namespace stepscope::nvtx {

inline constexpr std::uint16_t kSyncLane = recorder::kLaneLimit - 1;
inline constexpr std::uint32_t kMaxDomains = kSyncLane - recorder::kFirstNvtxLane;
// with the default domain; the last slot is shared by those that find no other

struct Domain {
  std::atomic<std::uint64_t> name_plus_one;  // 0: free

  recorder::NameId name() const noexcept {
    return static_cast<recorder::NameId>(name_plus_one.load(std::memory_order_relaxed) - 1);
  }
};

Domain* create_domain(recorder::NameId name) noexcept;
std::uint32_t index_of(const Domain* handle) noexcept;  // null: the default domain
Domain* domain_at(std::uint32_t index) noexcept;

inline recorder::NameId category_of(const Domain* handle) noexcept {
  return handle == nullptr ? recorder::NameId{0} : handle->name();
}
inline std::uint16_t range_lane(const Domain* handle) noexcept {
  return static_cast<std::uint16_t>(recorder::kFirstNvtxLane + index_of(handle));
}

}  // namespace stepscope::nvtx
