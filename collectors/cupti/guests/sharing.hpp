// SPDX-License-Identifier: Apache-2.0
// CUPTI for two: while we collect, other users of CUPTI in the process (torch.profiler) call these
// in place of the functions of the same names, and get what they would have got without us.
// Without this their cuptiSubscribe would fail, or their buffers would take the place of ours.
//
// The injected library exports CUPTI's names under LD_PRELOAD and asks serving() at each call.
#pragma once

#include <cstdint>
#include <span>

#include "collectors/cupti/guests/guest_clock.hpp"
#include "collectors/cupti/library/cupti_library.hpp"

namespace stepscope::cupti {

// Serves guests from now on in this process, and not in its forked children, where CUPTI does not
// work.
void serve_guests(const Library& library, Subscriber ours,
                  std::span<const ActivityKind> kinds) noexcept;
bool serving() noexcept;

// Passes a callback on to the guest.
void call_guest(std::uint32_t domain, std::uint32_t id, const void* data) noexcept;
void copy_to_guest(void* context, std::uint32_t stream, std::uint8_t* data,
                   std::size_t valid_bytes) noexcept;

bool is_wanted_by_guest(std::uint32_t domain, std::uint32_t id) noexcept;
// Switches our kinds and hooks, never while a guest switches its own. Kinds that the guest has on
// stay on, and the hooks with them. Not kSuccess: the first refusal of a kind.
Status switch_ours(bool on, void (*switch_hooks)(bool on)) noexcept;

// Only while serving.
namespace shared {
Status subscribe(Subscriber* subscriber, Callback callback, void* user) noexcept;
Status unsubscribe(Subscriber subscriber) noexcept;
Status enable_callback(std::uint32_t enable, Subscriber subscriber, std::uint32_t domain,
                       std::uint32_t id) noexcept;
Status enable_domain(std::uint32_t enable, Subscriber subscriber, std::uint32_t domain) noexcept;
Status enable_all_domains(std::uint32_t enable, Subscriber subscriber) noexcept;
Status register_buffers(RequestBuffer request, CompleteBuffer complete) noexcept;
Status register_clock(TimestampFunction function) noexcept;
Status enable(ActivityKind kind) noexcept;
Status disable(ActivityKind kind) noexcept;
Status flush_all(std::uint32_t flag) noexcept;
Status finalize() noexcept;  // ends the guest's use; ours goes on
}  // namespace shared

}  // namespace stepscope::cupti
