// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/collective_waits.hpp"

#include <algorithm>

#include "core/attribution/places/phase_names.hpp"

namespace stepscope {
namespace {

// Shorter silences are not measured well enough by the thread's clock, which is read now and then.
constexpr std::int64_t kClockTellsNs = 10'000'000;
constexpr double kRan = 0.75;
// The helper wakes the caller before it records the end of its range.
constexpr std::int64_t kLateRecordShare = 10;
constexpr std::int64_t kSchedulersSliceNs = 4'000'000;

bool ran_through(const ThreadCpu& cpu, ThreadId thread, Interval time) {
  if (time.length() < kClockTellsNs) return false;
  return cpu.share(thread, time).value_or(0) >= kRan;
}

// NCCL's range only launches the collective, which is an operation of the device.
bool runs_within(std::string_view range) {
  return is_group_collective(range) && !range.starts_with("nccl:");
}

// Messages from one rank to another. Gloo has no thread for them: the caller itself waits within them.
bool is_message(std::string_view range) {
  return runs_within(range) && (range.ends_with(":send") || range.ends_with(":recv"));
}

bool communicates(const Trace& trace, RangeId range) {
  const HostRanges& h = trace.host_ranges();
  const std::string_view name = trace.text(h.name[range]);
  return (h.kind[range] == HostKind::op && torch_mark(name) == "comm") || is_message(name);
}

// Whether the thread was seen asleep in the piece, the last time until another thread would wake it.
bool waited_for_a_thread(const Samples& samples, std::uint32_t row, ThreadId thread,
                         std::int64_t begin) {
  for (; row != kNone && samples.thread[row] == thread && samples.time[row] >= begin; --row)
    if (samples.asleep_in[row] != AsleepIn::unknown)
      return samples.asleep_in[row] == AsleepIn::lock;
  return false;
}

// Returns until when the end of what woke the thread may be recorded.
std::int64_t latest_end(const Trace& trace, const HostSamples& samples, ThreadId thread,
                        Interval piece) {
  const std::uint32_t row = samples.sample_before(thread, piece, piece.end).row;
  std::int64_t late = piece.length() / kLateRecordShare;
  if (waited_for_a_thread(trace.data().samples, row, thread, piece.begin))
    late = std::max(late, std::min(kSchedulersSliceNs, piece.length() / 2));
  return piece.end + late;
}

void add_own_messages(const Trace& trace, ThreadId loop, std::vector<RangeId>& by_end) {
  const HostRanges& h = trace.host_ranges();
  const Rows rows = trace.ranges_of(loop);
  for (RangeId r = rows.begin; r < rows.end; ++r)
    if (h.kind[r] == HostKind::user_scope && is_message(trace.text(h.name[r]))) by_end.push_back(r);
  std::ranges::stable_sort(by_end, {}, [&h](RangeId r) { return h.end[r]; });
}

}  // namespace

std::vector<RangeId> collectives_beside(const Trace& trace, const Threads& threads) {
  const HostRanges& h = trace.host_ranges();
  const std::vector<Thread>& all = trace.data().threads;
  std::vector<RangeId> out;
  for (ThreadId t = 0; t < all.size(); ++t) {
    if (t == threads.loop() || all[t].process != all[threads.loop()].process) continue;
    const Rows rows = trace.ranges_of(t);
    for (RangeId r = rows.begin; r < rows.end; ++r) {
      if (h.kind[r] == HostKind::user_scope && runs_within(trace.text(h.name[r]))) out.push_back(r);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [&h](RangeId a, RangeId b) { return h.end[a] < h.end[b]; });
  return out;
}

CollectiveWaits::CollectiveWaits(const Trace& trace, const Threads& threads, const ThreadCpu& cpu,
                                 const HostSamples& samples) {
  std::vector<RangeId> by_end = collectives_beside(trace, threads);
  add_own_messages(trace, threads.loop(), by_end);
  if (by_end.empty()) return;
  const HostTimeline& work = threads.work(threads.loop());
  for (std::size_t i = 1; i + 1 < work.size(); ++i) {
    const Piece piece = work.piece(i);
    const bool can_wait = piece.innermost == kNone || communicates(trace, piece.innermost);
    if (can_wait && !ran_through(cpu, threads.loop(), piece.time))
      add_waits_in(trace, piece, by_end, latest_end(trace, samples, threads.loop(), piece.time));
  }
}

void CollectiveWaits::add_waits_in(const Trace& trace, const Piece& piece,
                                   const std::vector<RangeId>& by_end, std::int64_t latest_end) {
  const HostRanges& h = trace.host_ranges();
  const auto ends_by = [&h](std::int64_t time, RangeId range) { return time < h.end[range]; };
  const auto first = std::upper_bound(by_end.begin(), by_end.end(), piece.time.begin, ends_by);
  const auto last = std::upper_bound(first, by_end.end(), latest_end, ends_by);
  std::vector<Wait> waits;
  for (auto range = first; range != last; ++range) {
    const Interval time = intersect({h.begin[*range], h.end[*range]}, piece.time);
    if (time.empty()) continue;
    const std::int64_t first_begin = piece.innermost == kNone ? time.begin : piece.time.begin;
    const std::int64_t begin = waits.empty() ? first_begin : waits.back().time.end;
    if (waits.empty() || time.end > begin) waits.push_back({{begin, time.end}, *range});
  }
  if (waits.empty()) return;
  const std::int64_t end = waits.back().time.end;
  if (piece.time.end - end < end - waits.front().time.begin)
    waits_.insert(waits_.end(), waits.begin(), waits.end());
}

const CollectiveWaits::Wait* CollectiveWaits::last_before(std::int64_t time) const {
  const auto after =
      std::lower_bound(waits_.begin(), waits_.end(), time,
                       [](const Wait& wait, std::int64_t t) { return wait.time.begin < t; });
  return after == waits_.begin() ? nullptr : &*(after - 1);
}

}  // namespace stepscope
