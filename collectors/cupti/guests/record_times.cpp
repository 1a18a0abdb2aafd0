// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/guests/record_times.hpp"

#include <iterator>

namespace stepscope::cupti {
namespace {

constexpr std::uint8_t kNoTime = 0xff;  // behind the last one

// Offsets of a record's times, in ascending order.
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

}  // namespace

ActivityKind kind_of(const std::uint8_t* record) noexcept {
  ActivityKind kind{};
  std::memcpy(&kind, record, sizeof kind);
  return kind;
}

std::span<const std::uint8_t> time_offsets(const std::uint8_t* record, std::size_t bytes) noexcept {
  for (const TimeFields& fields : kTimeFields) {
    if (fields.kind != kind_of(record)) continue;
    std::size_t count = 0;
    while (count < std::size(fields.offsets) && fields.offsets[count] != kNoTime &&
           fields.offsets[count] + sizeof(std::uint64_t) <= bytes)
      ++count;
    return {fields.offsets, count};
  }
  return {};
}

}  // namespace stepscope::cupti
