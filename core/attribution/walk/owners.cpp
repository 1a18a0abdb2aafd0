// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/walk/owners.hpp"

#include <algorithm>

#include "core/attribution/host/threads.hpp"
#include "core/attribution/process_index.hpp"

namespace stepscope {

void Owners::host(WalkPath& path, std::int64_t since, Cause cause, ThreadId thread,
                  RangeId evidence) const {
  since = std::max(since, path.begin);
  if (since >= path.time) return;
  const RangeId innermost = evidence;
  if (cause == Cause::host_between_calls) evidence = on_its_way(index_.threads, thread, path.time);
  const Interval silence = index_.threads.work(thread).piece_before(path.time).time;
  while (path.time > since) {
    const PhaseTable::Stay stay = index_.phases.at(thread, path.time - 1);
    Segment segment{.time = {std::max(since, stay.since), path.time},
                    .cause = cause,
                    .phase = stay.phase,
                    .host_evidence = evidence};
    charge_sampled(segment, thread, {silence, innermost});
    if (segment.site == kNone) charge_records(segment, thread, path.time);
    path.backwards.push_back(segment);
    path.time = segment.time.begin;
    path.jumps_without_progress = 0;
  }
}

// A sleep that nobody saw is charged like the way to the next call, a wait for a collective like the
// call before it, which asked for it.
void Owners::charge_records(Segment& segment, ThreadId thread, std::int64_t end) const {
  const bool off_cpu =
      segment.cause == Cause::host_off_cpu || segment.cause == Cause::host_core_wait;
  const bool unseen = off_cpu && segment.host_evidence == kNone;
  RangeId range = segment.host_evidence;
  if (unseen) range = on_its_way(index_.threads, thread, end);
  if (segment.cause == Cause::comm_wait)
    range = index_.threads.work(thread).previous_range(segment.time.begin).innermost;
  const CodeLine line = index_.sites.at(thread, segment.time.begin, range);
  segment.site = line.site;
  segment.direction = line.direction;
  segment.is_sampled = false;
}

// While the loop waits for data its workers' line counts.
void Owners::charge_sampled(Segment& segment, ThreadId thread, const Piece& piece) const {
  const SampledPieces::Part seen =
      index_.sampled.part_before(thread, piece, segment.time.end, segment.cause);
  segment.time.begin = std::max(segment.time.begin, seen.since);
  if (segment.cause != seen.cause) segment.host_evidence = piece.innermost;
  if (seen.collective != kNone) segment.host_evidence = seen.collective;
  segment.cause = seen.cause;
  segment.asleep_in = seen.asleep_in;
  segment.site = seen.site;
  segment.is_sampled = seen.site != kNone;
  if (segment.cause == Cause::host_data_wait) charge_workers(segment, thread, piece.time);
}

void Owners::charge_workers(Segment& segment, ThreadId thread, Interval silence) const {
  const HostSamples::Workers workers = index_.samples.workers_before(
      index_.trace.data().threads[thread].process, silence, segment.time.end);
  segment.time.begin = std::max(segment.time.begin, workers.time.begin);
  if (workers.site == kNone) return;
  segment.site = workers.site;
  segment.is_sampled = true;
}

// Gives time to a device cause. Time before a graph's first op waits for the launch, not for the
// op.
void Owners::device(WalkPath& path, std::int64_t since, Cause cause, DeviceOpId op) const {
  since = std::max(since, path.begin);
  if (since >= path.time) return;
  const bool launching = cause == Cause::launch_latency || cause == Cause::gpu_dispatch_gap;
  const Place place = launching ? index_.places.of_launch(op) : index_.places.of(op);
  path.backwards.push_back({.time = {since, path.time},
                            .cause = cause,
                            .phase = place.phase,
                            .site = place.line.site,
                            .device_evidence = op,
                            .direction = place.line.direction});
  path.time = since;
}

}  // namespace stepscope
