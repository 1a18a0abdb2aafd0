// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/guests/sharing.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "collectors/cupti/calls/call_hooks.hpp"
#include "collectors/cupti/guests/guest_callbacks.hpp"
#include "collectors/cupti/guests/guest_records.hpp"
#include "collectors/recorder/clock.hpp"

namespace stepscope::cupti {
namespace {

// Constant-initialised and never destroyed: callbacks run until the last instruction.
constinit Library real{};
constinit Subscriber our_subscriber = nullptr;
constinit std::span<const ActivityKind> our_kinds{};
constinit std::atomic<pid_t> serving_pid{0};
constinit GuestCallbacks callbacks{};
union Leaked {
  constexpr Leaked() : own() {}
  ~Leaked() {}
  struct {
    GuestRecords records;
    std::mutex switching;  // CUPTI's kinds and callbacks, ours and the guest's
  } own;
};
constinit Leaked leaked{};
GuestRecords& records = leaked.own.records;
std::mutex& switching = leaked.own.switching;
constinit bool ours_on = true;  // under `switching`
constinit std::atomic<bool> drops_at_exit{false};
constinit std::atomic<std::int64_t> began_ns{0};
constinit std::atomic<std::uint32_t> times_noted{0};

// Under `switching`: of our kinds, and on.
bool is_ours(ActivityKind kind) noexcept {
  return ours_on && std::find(our_kinds.begin(), our_kinds.end(), kind) != our_kinds.end();
}

// Its buffers die with its own statics, which are made before it first registers them. In a forked
// child nothing of it is called, and a lock may be left over.
void drop_guest() noexcept {
  if (!serving()) return;
  callbacks.drop();
  records.drop();
}

void note_begin() noexcept {
  began_ns.store(recorder::clock_ns(CLOCK_MONOTONIC));
}

// A schedule may switch it on and off for ever.
void note_end() noexcept {
  constexpr std::uint32_t kMostNotes = 3;
  if (times_noted.fetch_add(1) >= kMostNotes) return;
  const double seconds =
      static_cast<double>(recorder::clock_ns(CLOCK_MONOTONIC) - began_ns.load()) * 1e-9;
  std::array<char, 192> sentence{};
  std::snprintf(sentence.data(), sentence.size(),
                "another profiler of the program (torch.profiler) was on for %.3f s and was given "
                "its own records; CUDA calls took longer meanwhile",
                seconds);
  recorder::note(sentence.data());
}

}  // namespace

void serve_guests(const Library& library, Subscriber ours,
                  std::span<const ActivityKind> kinds) noexcept {
  real = library;
  our_subscriber = ours;
  our_kinds = kinds;
  serving_pid.store(getpid(), std::memory_order_release);
}

bool serving() noexcept {
  const pid_t pid = serving_pid.load(std::memory_order_acquire);
  return pid != 0 && pid == getpid();
}

void call_guest(std::uint32_t domain, std::uint32_t id, const void* data) noexcept {
  callbacks.call(domain, id, data);
}

void copy_to_guest(void* context, std::uint32_t stream, std::uint8_t* data,
                   std::size_t valid_bytes) noexcept {
  if (records.takes_records()) records.copy(real, context, stream, data, valid_bytes);
}

bool is_wanted_by_guest(std::uint32_t domain, std::uint32_t id) noexcept {
  return callbacks.wants(domain, id);
}

// Hooks are on while any of our kinds is: CUPTI counts correlation ids in the callbacks, and gives
// them again to later calls where it could not.
Status switch_ours(bool on, void (*switch_hooks)(bool on)) noexcept {
  const std::lock_guard lock(switching);
  if (on) switch_hooks(true);
  ours_on = on;
  bool any_left = false;
  Status first_refusal = kSuccess;
  for (const ActivityKind kind : our_kinds) {
    const Status status = on ? real.enable(kind) : kSuccess;
    if (first_refusal == kSuccess) first_refusal = status;
    if (on || records.enabled(kind)) {
      any_left = true;
    } else {
      (void)real.disable(kind);
    }
  }
  if (!any_left) switch_hooks(false);
  return first_refusal;
}

namespace shared {

Status subscribe(Subscriber* subscriber, Callback callback, void* user) noexcept {
  return callbacks.subscribe(subscriber, callback, user);
}

Status unsubscribe(Subscriber subscriber) noexcept {
  if (!callbacks.is(subscriber)) return kInvalidParameter;
  const std::lock_guard lock(switching);
  return callbacks.unsubscribe(real, our_subscriber, is_hooked);
}

Status enable_callback(std::uint32_t enable, Subscriber subscriber, std::uint32_t domain,
                       std::uint32_t id) noexcept {
  if (!callbacks.is(subscriber)) return kInvalidParameter;
  const std::lock_guard lock(switching);
  return callbacks.enable(real, our_subscriber, is_hooked, enable != 0, domain, id);
}

Status enable_domain(std::uint32_t enable, Subscriber subscriber, std::uint32_t domain) noexcept {
  if (!callbacks.is(subscriber)) return kInvalidParameter;
  const std::lock_guard lock(switching);
  return callbacks.enable_domain(real, our_subscriber, is_hooked, enable != 0, domain);
}

Status enable_all_domains(std::uint32_t enable, Subscriber subscriber) noexcept {
  Status status = kSuccess;
  for (std::uint32_t domain = 1; domain < GuestCallbacks::kDomains && status == kSuccess; ++domain)
    status = enable_domain(enable, subscriber, domain);
  return status;
}

Status register_buffers(RequestBuffer request, CompleteBuffer complete) noexcept {
  if (request == nullptr || complete == nullptr) return kInvalidParameter;
  records.register_buffers(request, complete);
  if (!drops_at_exit.exchange(true)) std::atexit(drop_guest);
  return kSuccess;
}

Status register_clock(TimestampFunction function) noexcept {
  records.register_clock(function);
  return kSuccess;
}

// The guest is known to want it before CUPTI has it, so that a plan's switching off leaves it on.
Status enable(ActivityKind kind) noexcept {
  Status status = kSuccess;
  {
    const std::lock_guard lock(switching);
    const bool first = !records.any_enabled();
    records.enable(kind);
    if (!is_ours(kind)) status = real.enable(kind);
    if (status != kSuccess) records.disable(kind);
    if (status == kSuccess && first) note_begin();
  }
  records.deliver();
  return status;
}

Status disable(ActivityKind kind) noexcept {
  const std::lock_guard lock(switching);
  const bool was_any = records.any_enabled();
  records.disable(kind);
  if (was_any && !records.any_enabled()) note_end();
  return is_ours(kind) ? kSuccess : real.disable(kind);
}

Status flush_all(std::uint32_t flag) noexcept {
  const Status status = real.flush_all(flag);
  records.hand_over();
  return status;
}

Status finalize() noexcept {
  for (std::uint32_t kind = 0; kind < GuestRecords::kKinds; ++kind) {
    if (records.enabled(static_cast<ActivityKind>(kind)))
      (void)disable(static_cast<ActivityKind>(kind));
  }
  records.hand_over();
  const std::lock_guard lock(switching);
  return callbacks.unsubscribe(real, our_subscriber, is_hooked);
}

}  // namespace shared
}  // namespace stepscope::cupti
