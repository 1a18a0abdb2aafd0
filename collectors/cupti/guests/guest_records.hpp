// SPDX-License-Identifier: Apache-2.0
// Activity records for another user of CUPTI in this process (torch.profiler), which the program
// brought along: CUPTI serves one, so the records of our buffers are copied into the guest's, those
// of the kinds that it enabled and of the time that it enabled them for.
//
// While a kind is enabled the guest has given a buffer, as it would have to CUPTI. Any thread.
//
// The guest's functions (for buffers, and its clock) are called in order, by one thread at a time,
// and never with a lock held: they may take locks of the guest's own, and call back into us. What
// is due is noted under the lock, and the thread that notes it calls the guest, unless a thread is
// at that already, which then goes on with it. So only two functions wait for a call of another
// thread: hand_over(), whose caller relies on its records, and drop(), behind which nothing of the
// guest is called. From within one of the guest's functions neither waits: what is due then
// follows once that function has returned.
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "collectors/cupti/guests/guest_clock.hpp"
#include "collectors/cupti/guests/record_queue.hpp"
#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/cupti/records/buffers.hpp"

namespace stepscope::cupti {

class GuestRecords {
 public:
  static constexpr std::size_t kKinds = 64;

  void register_buffers(RequestBuffer request, CompleteBuffer complete) noexcept;
  void register_clock(TimestampFunction function) noexcept;

  // Enables records from now on. Calls nothing: deliver() does, once the caller's own locks are
  // free.
  void enable(ActivityKind kind) noexcept;
  void disable(ActivityKind kind) noexcept;  // disables records from now on
  bool enabled(ActivityKind kind) const noexcept;
  bool any_enabled() const noexcept { return enabled_count_.load() != 0; }

  // Whether records could be for the guest; the rest may be left out where not.
  bool takes_records() const noexcept { return takes_.load(std::memory_order_acquire); }
  void copy(const Library& library, void* context, std::uint32_t stream, std::uint8_t* data,
            std::size_t valid_bytes) noexcept;
  // After a flush: what has been copied becomes the guest's.
  void hand_over() noexcept;
  // Calls the guest for all that is due, unless a thread is at it.
  void deliver() noexcept;
  // The guest is gone, with its buffers: nothing of it is called or written again.
  void drop() noexcept;

 private:
  struct Window {
    std::uint64_t from_ns = 0;  // 0: never enabled
    std::uint64_t to_ns = 0;    // 0: still enabled
  };
  struct Open {
    std::uint8_t* data = nullptr;
    std::size_t bytes = 0;
    std::size_t used = 0;
  };
  struct Call {  // a call of one of the guest's three functions, or of none
    RequestBuffer request = nullptr;
    CompleteBuffer complete = nullptr;
    TimestampFunction clock = nullptr;
    Open buffer{};
    void* context = nullptr;
    std::uint32_t stream = 0;
    std::uint32_t guest = 0;
    GuestClock::Reading reading{};
  };

  // Under the lock.
  Call next_call() noexcept;
  Call request_call() noexcept;
  Call complete_call() noexcept;
  void take(const Call& made) noexcept;
  void queue(const std::uint8_t* record, std::size_t bytes) noexcept;
  bool put_first() noexcept;
  void end_hand_over() noexcept;
  bool wants(const std::uint8_t* record, std::size_t bytes) const noexcept;
  void convert_times(std::uint8_t* record, std::size_t bytes) const noexcept;

  static void make(Call& call) noexcept;  // not under it
  bool is_kind(ActivityKind kind) const noexcept { return static_cast<std::size_t>(kind) < kKinds; }

  mutable std::mutex mutex_;
  std::atomic<std::uint32_t> enabled_count_{0};
  std::atomic<bool> takes_{false};
  std::atomic<std::uint32_t> caller_{0};       // the thread that calls the guest; 0: none
  std::atomic<std::uint32_t> handed_over_{0};  // times
  RequestBuffer request_ = nullptr;
  CompleteBuffer complete_ = nullptr;
  std::array<Window, kKinds> windows_{};
  GuestClock clock_;
  RecordQueue queue_;
  Open open_;
  void* context_ = nullptr;  // context of the records copied last
  std::uint32_t stream_ = 0;
  std::uint32_t guest_ = 0;  // dropped so far: what a call gave is one guest's
  bool clock_begins_ = false, clock_advances_ = false, hand_over_due_ = false;
  bool refused_ = false;  // the guest gave no buffer when it was last asked
  bool noted_loss_ = false;
};

}  // namespace stepscope::cupti
