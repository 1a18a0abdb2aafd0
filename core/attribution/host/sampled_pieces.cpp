// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/sampled_pieces.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// From this length on, the clocks give a silence without a sample its cause.
constexpr std::int64_t kLongSilenceNs = 2'000'000;
// A silence of at most this length is spent on the way to the next call, as a rule.
constexpr std::int64_t kBurstNs = 100'000;

}  // namespace

// A wait for a collective keeps the line of the sample in it.
SampledPieces::Part SampledPieces::part_before(ThreadId thread, const Piece& piece,
                                               std::int64_t end, Cause by_records) const {
  const CollectiveWaits::Wait* wait = thread == loop_ ? waits_.last_before(end) : nullptr;
  const Part out = with_core_waits(thread, piece, end, by_records);
  if (wait == nullptr || wait->time.end <= piece.time.begin) return out;
  if (wait->time.end < end)
    return {std::max(out.since, wait->time.end), out.cause, out.site, kNone, out.asleep_in};
  return {std::max(out.since, wait->time.begin), Cause::comm_wait, out.site, wait->collective};
}

SampledPieces::Part SampledPieces::with_core_waits(ThreadId thread, const Piece& piece,
                                                   std::int64_t end, Cause by_records) const {
  const Part part = by_sample(thread, piece, end, by_records);
  const CoreWaits::Stretch stretch = core_waits_.stretch_before(thread, end);
  if (stretch.waits) return {std::max(part.since, stretch.since), Cause::host_core_wait, part.site};
  Part out = part;
  out.since = std::max(part.since, stretch.since);
  return out;
}

SampledPieces::Part SampledPieces::by_sample(ThreadId thread, const Piece& piece, std::int64_t end,
                                             Cause by_records) const {
  const HostFamily inside = piece.innermost == kNone
                                ? HostFamily::other
                                : family_of(trace_.host_ranges().kind[piece.innermost]);
  if (inside == HostFamily::api) return {piece.time.begin, by_records};
  return inside == HostFamily::op ? in_op(thread, piece, end, by_records)
                                  : in_silence(thread, piece, end, by_records);
}

SampledPieces::Part SampledPieces::in_op(ThreadId thread, const Piece& piece, std::int64_t end,
                                         Cause by_records) const {
  const HostSamples::Seen seen = samples_.sample_before(thread, piece.time, end);
  if (seen.row == kNone) return {piece.time.begin, by_records};
  Part out{seen.time.begin, causes_.sampled(by_records, piece, seen.row, ThreadState::unknown)};
  if (out.cause == Cause::host_gc) out.site = trace_.data().samples.site[seen.row];
  return out;
}

SampledPieces::Part SampledPieces::in_silence(ThreadId thread, const Piece& piece, std::int64_t end,
                                              Cause by_records) const {
  const Silences::Stretch stretch = silences_.stretch_before(thread, piece.time, end);
  Part out{stretch.time.begin, by_records};
  if (stretch.row == kNone) return out;
  const bool is_long =
      stretch.state != ThreadState::unknown && piece.time.length() >= kLongSilenceNs;
  const bool waits_or_takes =
      stretch.state == ThreadState::asleep || by_records == Cause::host_data_wait;
  if (stretch.is_seen || is_long || (stretch.is_known && waits_or_takes))
    out.cause = causes_.sampled(by_records, piece, stretch.row, stretch.state);
  if (out.cause == Cause::host_off_cpu) out.asleep_in = causes_.asleep_in(stretch.row);
  const bool is_burst =
      !stretch.is_known && piece.time.length() < kBurstNs &&
      (by_records == Cause::host_between_calls || by_records == Cause::host_framework);
  if (!is_burst) out.site = trace_.data().samples.site[stretch.row];
  return out;
}

}  // namespace stepscope
