// SPDX-License-Identifier: Apache-2.0
// Activity records for another user of CUPTI in this process (torch.profiler), which the program
// brought along: CUPTI serves one, so the records of our buffers are copied into the guest's, those
// of the kinds that it enabled and of the time that it enabled them for.
//
// While a kind is enabled the guest has given a buffer, as it would have to CUPTI. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "collectors/cupti/guests/guest_clock.hpp"
#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/cupti/records/buffers.hpp"

namespace stepscope::cupti {

class GuestRecords {
 public:
  static constexpr std::size_t kKinds = 64;

  void register_buffers(RequestBuffer request, CompleteBuffer complete) noexcept;
  void register_clock(TimestampFunction function) noexcept;

  void enable(ActivityKind kind) noexcept;   // of the time from now on
  void disable(ActivityKind kind) noexcept;  // up to now
  bool enabled(ActivityKind kind) const noexcept;
  bool any_enabled() const noexcept { return enabled_count_.load() != 0; }

  // Whether records could be for the guest; the rest may be left out where not.
  bool takes_records() const noexcept { return takes_.load(std::memory_order_acquire); }
  void copy(const Library& library, void* context, std::uint32_t stream, std::uint8_t* data,
            std::size_t valid_bytes) noexcept;
  // After a flush: what has been copied becomes the guest's.
  void hand_over() noexcept;
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
  void add(const std::uint8_t* record, std::size_t bytes) noexcept;
  bool wants(const std::uint8_t* record, std::size_t bytes) const noexcept;
  void convert_times(std::uint8_t* record, std::size_t bytes) const noexcept;
  void open_buffer() noexcept;
  void close_buffer() noexcept;
  bool is_kind(ActivityKind kind) const noexcept { return static_cast<std::size_t>(kind) < kKinds; }

  mutable std::mutex mutex_;
  std::atomic<std::uint32_t> enabled_count_{0};
  std::atomic<bool> takes_{false};
  RequestBuffer request_ = nullptr;
  CompleteBuffer complete_ = nullptr;
  std::array<Window, kKinds> windows_{};
  GuestClock clock_;
  Open open_;
  void* context_ = nullptr;  // of the records copied last
  std::uint32_t stream_ = 0;
};

}  // namespace stepscope::cupti
