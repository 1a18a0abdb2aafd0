// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/guests/guest_records.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "collectors/cupti/guests/record_times.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::cupti {
namespace {

std::uint32_t this_thread() noexcept {
  return static_cast<std::uint32_t>(syscall(SYS_gettid));
}

}  // namespace

void GuestRecords::register_buffers(RequestBuffer request, CompleteBuffer complete) noexcept {
  const std::lock_guard lock(mutex_);
  request_ = request;
  complete_ = complete;
}

void GuestRecords::register_clock(TimestampFunction function) noexcept {
  {
    const std::lock_guard lock(mutex_);
    clock_.use(function);
    clock_begins_ = true;
  }
  deliver();
}

void GuestRecords::enable(ActivityKind kind) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_kind(kind)) return;
  Window& window = windows_[static_cast<std::size_t>(kind)];
  if (window.from_ns != 0 && window.to_ns == 0) return;
  if (enabled_count_.fetch_add(1) == 0) clock_begins_ = true;
  window = {recorder::realtime_ns(), 0};
  refused_ = false;
  takes_.store(true, std::memory_order_release);
}

void GuestRecords::disable(ActivityKind kind) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_kind(kind)) return;
  Window& window = windows_[static_cast<std::size_t>(kind)];
  if (window.from_ns == 0 || window.to_ns != 0) return;
  window.to_ns = recorder::realtime_ns();
  enabled_count_.fetch_sub(1);
}

bool GuestRecords::enabled(ActivityKind kind) const noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_kind(kind)) return false;
  const Window& window = windows_[static_cast<std::size_t>(kind)];
  return window.from_ns != 0 && window.to_ns == 0;
}

// A record's size is the distance to the next one.
void GuestRecords::copy(const Library& library, void* context, std::uint32_t stream,
                        std::uint8_t* data, std::size_t valid_bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!takes_.load(std::memory_order_relaxed)) return;
    clock_advances_ = true;
    refused_ = false;
    context_ = context;
    stream_ = stream;
    void* record = nullptr;
    const std::uint8_t* before = nullptr;
    while (library.next_record(data, valid_bytes, &record) == kSuccess && record != nullptr) {
      const auto* here = static_cast<const std::uint8_t*>(record);
      if (before != nullptr) queue(before, static_cast<std::size_t>(here - before));
      before = here;
    }
    if (before != nullptr) queue(before, static_cast<std::size_t>(data + valid_bytes - before));
  }
  deliver();
}

bool GuestRecords::wants(const std::uint8_t* record, std::size_t bytes) const noexcept {
  const ActivityKind kind = kind_of(record);
  if (!is_kind(kind)) return false;
  const Window& window = windows_[static_cast<std::size_t>(kind)];
  if (window.from_ns == 0) return false;
  const auto offsets = time_offsets(record, bytes);
  const std::uint64_t start = offsets.empty() ? 0 : time_at(record, offsets.front());
  if (start == 0) return true;
  return start >= window.from_ns && (window.to_ns == 0 || start <= window.to_ns);
}

void GuestRecords::queue(const std::uint8_t* record, std::size_t bytes) noexcept {
  if (!wants(record, bytes) || queue_.put({record, bytes})) return;
  if (!std::exchange(noted_loss_, true))
    recorder::note(
        "another profiler of the program (torch.profiler) did not take its records in time: it "
        "lacks some");
}

bool GuestRecords::put_first() noexcept {
  const std::span<const std::uint8_t> record = queue_.first();
  if (open_.data == nullptr || open_.used + record.size() > open_.bytes) return false;
  std::uint8_t* target = open_.data + open_.used;
  std::memcpy(target, record.data(), record.size());
  if (clock_.in_use() != nullptr) convert_times(target, record.size());
  open_.used += record.size();
  queue_.pop();
  return true;
}

void GuestRecords::convert_times(std::uint8_t* record, std::size_t bytes) const noexcept {
  for (const std::uint8_t offset : time_offsets(record, bytes)) {
    const std::uint64_t time = clock_.convert(time_at(record, offset));
    std::memcpy(record + offset, &time, sizeof time);
  }
}

GuestRecords::Call GuestRecords::request_call() noexcept {
  Call call;
  if (!refused_) call.request = request_;
  return call;
}

GuestRecords::Call GuestRecords::complete_call() noexcept {
  Call call;
  call.complete = complete_;
  call.buffer = std::exchange(open_, {});
  call.context = context_;
  call.stream = stream_;
  return call;
}

// A record that finds no buffer, or none that is large enough, is left out.
GuestRecords::Call GuestRecords::next_call() noexcept {
  if ((clock_begins_ || clock_advances_) && clock_.in_use() != nullptr) {
    Call call;
    call.clock = clock_.in_use();
    return call;
  }
  while (!queue_.first().empty()) {
    if (put_first()) continue;
    if (open_.used > 0) return complete_call();
    if (open_.data == nullptr && request_ != nullptr && !refused_) return request_call();
    queue_.pop();
  }
  if (hand_over_due_) {
    if (open_.data != nullptr) return complete_call();
    end_hand_over();
  }
  return any_enabled() && open_.data == nullptr ? request_call() : Call{};
}

void GuestRecords::end_hand_over() noexcept {
  hand_over_due_ = false;
  handed_over_.fetch_add(1);
  handed_over_.notify_all();
  if (any_enabled()) return;
  takes_.store(false, std::memory_order_release);
  windows_ = {};
}

void GuestRecords::make(Call& call) noexcept {
  std::size_t records = 0;
  if (call.clock != nullptr) call.reading = GuestClock::read(call.clock);
  if (call.request != nullptr) call.request(&call.buffer.data, &call.buffer.bytes, &records);
  if (call.complete != nullptr)
    call.complete(call.context, call.stream, call.buffer.data, call.buffer.bytes, call.buffer.used);
}

// Stores the result of a call, unless the guest is gone.
void GuestRecords::take(const Call& made) noexcept {
  if (made.guest != guest_) return;
  if (made.request != nullptr) {
    open_ = made.buffer;
    refused_ = open_.data == nullptr;
  }
  if (made.clock == nullptr || made.clock != clock_.in_use()) return;
  if (std::exchange(clock_begins_, false)) return clock_.begin(made.reading);
  clock_.advance(made.reading);
  clock_advances_ = false;
}

void GuestRecords::deliver() noexcept {
  std::unique_lock lock(mutex_);
  if (caller_.load() != 0) return;
  caller_.store(this_thread());
  while (true) {
    Call call = next_call();
    if (call.clock == nullptr && call.request == nullptr && call.complete == nullptr) break;
    call.guest = guest_;
    lock.unlock();
    make(call);
    lock.lock();
    take(call);
  }
  caller_.store(0);
  caller_.notify_all();
}

// A guest that flushes in each of its functions would have no end of it: from there, nothing is due
// where no record waits.
void GuestRecords::hand_over() noexcept {
  const std::uint32_t self = this_thread();
  std::uint32_t before = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!takes_.load(std::memory_order_relaxed)) return;
    if (caller_.load() == self && open_.used == 0 && queue_.first().empty()) return;
    hand_over_due_ = true;
    refused_ = false;
    before = handed_over_.load();
  }
  deliver();
  if (caller_.load() != self) handed_over_.wait(before);
}

void GuestRecords::drop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    takes_.store(false, std::memory_order_release);
    request_ = nullptr;
    complete_ = nullptr;
    open_ = {};
    windows_ = {};
    enabled_count_.store(0);
    clock_.use(nullptr);
    queue_.clear();
    ++guest_;
    hand_over_due_ = false;
    handed_over_.fetch_add(1);
    handed_over_.notify_all();
  }
  const std::uint32_t self = this_thread();
  for (std::uint32_t caller = caller_.load(); caller != 0 && caller != self;
       caller = caller_.load())
    caller_.wait(caller);
}

}  // namespace stepscope::cupti
