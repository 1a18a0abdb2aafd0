// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/guests/guest_records.hpp"

#include <cstring>

#include "collectors/recorder/clock.hpp"

namespace stepscope::cupti {
namespace {

constexpr std::uint8_t kNoTime = 0xff;

// Where a kind's times lie in its record. Kinds that are not here are handed over as they are.
struct TimeFields {
  ActivityKind kind;
  std::uint8_t offsets[5];
};
constexpr TimeFields kTimeFields[] = {
    {ActivityKind::concurrent_kernel,
     {offsetof(KernelRecord, start), offsetof(KernelRecord, end), offsetof(KernelRecord, completed),
      offsetof(KernelRecord, queued), offsetof(KernelRecord, submitted)}},
    {ActivityKind::kernel,
     {offsetof(KernelRecord, start), offsetof(KernelRecord, end), offsetof(KernelRecord, completed),
      offsetof(KernelRecord, queued), offsetof(KernelRecord, submitted)}},
    {ActivityKind::memcpy,
     {offsetof(MemcpyRecord, start), offsetof(MemcpyRecord, end), kNoTime, kNoTime, kNoTime}},
    {ActivityKind::memcpy_peer,
     {offsetof(PeerCopyRecord, start), offsetof(PeerCopyRecord, end), kNoTime, kNoTime, kNoTime}},
    {ActivityKind::memset,
     {offsetof(MemsetRecord, start), offsetof(MemsetRecord, end), kNoTime, kNoTime, kNoTime}},
    {ActivityKind::runtime,
     {offsetof(CallRecord, start), offsetof(CallRecord, end), kNoTime, kNoTime, kNoTime}},
    {ActivityKind::driver,
     {offsetof(CallRecord, start), offsetof(CallRecord, end), kNoTime, kNoTime, kNoTime}},
    {ActivityKind::synchronization,
     {offsetof(CallRecord, start), offsetof(CallRecord, end), kNoTime, kNoTime, kNoTime}},
    {ActivityKind::graph_trace,
     {offsetof(CallRecord, start), offsetof(CallRecord, end), kNoTime, kNoTime, kNoTime}},
    {ActivityKind::jit,
     {offsetof(JitRecord, start), offsetof(JitRecord, end), kNoTime, kNoTime, kNoTime}},
    {ActivityKind::marker, {offsetof(CallRecord, start), kNoTime, kNoTime, kNoTime, kNoTime}},
    {ActivityKind::cuda_event,
     {offsetof(EventRecord, device_time), kNoTime, kNoTime, kNoTime, kNoTime}},
    {ActivityKind::overhead,
     {offsetof(OverheadRecord, start), offsetof(OverheadRecord, end), kNoTime, kNoTime, kNoTime}},
};

const TimeFields* times_of(ActivityKind kind) noexcept {
  for (const TimeFields& fields : kTimeFields) {
    if (fields.kind == kind) return &fields;
  }
  return nullptr;
}

ActivityKind kind_of(const std::uint8_t* record) noexcept {
  ActivityKind kind{};
  std::memcpy(&kind, record, sizeof kind);
  return kind;
}

// Records of an older CUPTI may be shorter: 0, no time, is what they lack.
std::uint64_t time_at(const std::uint8_t* record, std::size_t bytes, std::uint8_t offset) noexcept {
  std::uint64_t time = 0;
  if (offset + sizeof time <= bytes) std::memcpy(&time, record + offset, sizeof time);
  return time;
}

std::uint64_t now_ns() noexcept {
  return static_cast<std::uint64_t>(recorder::clock_ns(CLOCK_REALTIME));
}

}  // namespace

void GuestRecords::register_buffers(RequestBuffer request, CompleteBuffer complete) noexcept {
  const std::lock_guard lock(mutex_);
  request_ = request;
  complete_ = complete;
}

void GuestRecords::register_clock(TimestampFunction function) noexcept {
  const std::lock_guard lock(mutex_);
  clock_.use(function);
}

void GuestRecords::enable(ActivityKind kind) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_kind(kind)) return;
  Window& window = windows_[static_cast<std::size_t>(kind)];
  if (window.from_ns != 0 && window.to_ns == 0) return;
  if (enabled_count_.fetch_add(1) == 0) clock_.begin();
  window = {now_ns(), 0};
  takes_.store(true, std::memory_order_release);
  open_buffer();
}

void GuestRecords::disable(ActivityKind kind) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_kind(kind)) return;
  Window& window = windows_[static_cast<std::size_t>(kind)];
  if (window.from_ns == 0 || window.to_ns != 0) return;
  window.to_ns = now_ns();
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
  const std::lock_guard lock(mutex_);
  if (!takes_.load(std::memory_order_relaxed)) return;
  clock_.advance();
  context_ = context;
  stream_ = stream;
  void* record = nullptr;
  const std::uint8_t* before = nullptr;
  while (library.next_record(data, valid_bytes, &record) == kSuccess && record != nullptr) {
    const auto* here = static_cast<const std::uint8_t*>(record);
    if (before != nullptr) add(before, static_cast<std::size_t>(here - before));
    before = here;
  }
  if (before != nullptr) add(before, static_cast<std::size_t>(data + valid_bytes - before));
}

bool GuestRecords::wants(const std::uint8_t* record, std::size_t bytes) const noexcept {
  const ActivityKind kind = kind_of(record);
  if (!is_kind(kind)) return false;
  const Window& window = windows_[static_cast<std::size_t>(kind)];
  if (window.from_ns == 0) return false;
  const TimeFields* fields = times_of(kind);
  const std::uint64_t start = fields == nullptr ? 0 : time_at(record, bytes, fields->offsets[0]);
  if (start == 0) return true;
  return start >= window.from_ns && (window.to_ns == 0 || start <= window.to_ns);
}

void GuestRecords::add(const std::uint8_t* record, std::size_t bytes) noexcept {
  if (!wants(record, bytes)) return;
  if (open_.data != nullptr && open_.used + bytes > open_.bytes) close_buffer();
  open_buffer();
  if (open_.data == nullptr || open_.used + bytes > open_.bytes) return;
  std::uint8_t* target = open_.data + open_.used;
  std::memcpy(target, record, bytes);
  if (clock_.in_use()) convert_times(target, bytes);
  open_.used += bytes;
}

void GuestRecords::convert_times(std::uint8_t* record, std::size_t bytes) const noexcept {
  const TimeFields* fields = times_of(kind_of(record));
  if (fields == nullptr) return;
  for (const std::uint8_t offset : fields->offsets) {
    if (offset == kNoTime || offset + sizeof(std::uint64_t) > bytes) continue;
    const std::uint64_t time = clock_.convert(time_at(record, bytes, offset));
    std::memcpy(record + offset, &time, sizeof time);
  }
}

void GuestRecords::open_buffer() noexcept {
  if (open_.data != nullptr || request_ == nullptr) return;
  std::size_t records = 0;
  open_ = {};
  request_(&open_.data, &open_.bytes, &records);
}

void GuestRecords::close_buffer() noexcept {
  const Open full = open_;
  open_ = {};
  if (full.data != nullptr && complete_ != nullptr)
    complete_(context_, stream_, full.data, full.bytes, full.used);
}

void GuestRecords::hand_over() noexcept {
  const std::lock_guard lock(mutex_);
  if (!takes_.load(std::memory_order_relaxed)) return;
  close_buffer();
  if (any_enabled()) return open_buffer();
  takes_.store(false, std::memory_order_release);
  windows_ = {};
}

void GuestRecords::drop() noexcept {
  const std::lock_guard lock(mutex_);
  takes_.store(false, std::memory_order_release);
  request_ = nullptr;
  complete_ = nullptr;
  open_ = {};
  windows_ = {};
  enabled_count_.store(0);
  clock_.use(nullptr);
}

}  // namespace stepscope::cupti
