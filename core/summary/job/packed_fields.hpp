// SPDX-License-Identifier: Apache-2.0
// Hands all members of a plain struct to a visitor that packs or unpacks them (packed.hpp). Each
// binding names every member, so that a struct that gains one does not compile until it is here.
#pragma once

#include <type_traits>

#include "core/model/device_counter.hpp"
#include "core/summary/job/read_part.hpp"

namespace stepscope::job {

template <class Row, class T>
concept Packs = std::is_same_v<std::remove_const_t<Row>, T>;

// The last value of each enum, which a reader checks values against.
constexpr Cause last_of(Cause) {
  return static_cast<Cause>(kCauseCount - 1);
}
constexpr Direction last_of(Direction) {
  return Direction::recompute;
}
constexpr SiteKind last_of(SiteKind) {
  return SiteKind::function;
}
constexpr Bound last_of(Bound) {
  return Bound::not_judged;
}
constexpr FoundBy last_of(FoundBy) {
  return FoundBy::whole_trace;
}
constexpr PeakFrom last_of(PeakFrom) {
  return PeakFrom::table;
}
constexpr MemoryTrend last_of(MemoryTrend) {
  return MemoryTrend::shrinking;
}

template <class V, Packs<Owner> T>
void fields(V& v, T& row) {
  auto& [cause, phase, path, file, line, function, operation, direction] = row;
  v(cause, phase, path, file, line, function, operation, direction);
}
template <class V, Packs<Piece> T>
void fields(V& v, T& row) {
  auto& [time, owner, collective] = row;
  v(time, owner, collective);
}
template <class V, Packs<CollectiveUse> T>
void fields(V& v, T& row) {
  auto& [communicator, ordinal, name, time, bytes, messages] = row;
  v(communicator, ordinal, name, time, bytes, messages);
}
template <class V, Packs<PeerMessage> T>
void fields(V& v, T& row) {
  auto& [peer, sends] = row;
  v(peer, sends);
}
template <class V, Packs<RankRecord> T>
void fields(V& v, T& row) {
  auto& [rank, host, pieces, collectives, steps, host_waits, clock] = row;
  v(rank, host, pieces, collectives, steps, host_waits, clock);
}

template <class V, Packs<Step> T>
void fields(V& v, T& row) {
  auto& [id, host, own_end, window, wall_known, steady, why_not_steady, compile_ns] = row;
  v(id, host, own_end, window, wall_known, steady, why_not_steady, compile_ns);
}
template <class V, Packs<WarmUp> T>
void fields(V& v, T& row) {
  auto& [steps, wall_ns, why] = row;
  v(steps, wall_ns, why);
}
template <class V, Packs<Division> T>
void fields(V& v, T& row) {
  auto& [found_by, steps, host, how, recorded, loop, around, each, own] = row;
  v(found_by, steps, host, how, recorded, loop, around, each, own);
}
template <class V, Packs<Section> T>
void fields(V& v, T& row) {
  auto& [kind, divisions] = row;
  v(kind, divisions);
}
template <class V, Packs<SectionChoice> T>
void fields(V& v, T& row) {
  auto& [section, division] = row;
  v(section, division);
}
template <class V, Packs<Steps> T>
void fields(V& v, T& row) {
  auto& [found_by, confidence, how, process, thread, list, warm_up, sections, chosen, recorded,
         recorded_ns, without, begin_error, may_be_parts, notes] = row;
  v(found_by, confidence, how, process, thread, list, warm_up, sections, chosen, recorded,
    recorded_ns, without, begin_error, may_be_parts, notes);
}

template <class V, Packs<RunFacts> T>
void fields(V& v, T& row) {
  auto& [path, source, command, host, device, uuid, devices, unseen, rank, world, processes, events,
         versions] = row;
  v(path, source, command, host, device, uuid, devices, unseen, rank, world, processes, events,
    versions);
}
template <class V, Packs<PartSum> T>
void fields(V& v, T& row) {
  auto& [cause, ns] = row;
  v(cause, ns);
}
template <class V, Packs<PartitionSummary> T>
void fields(V& v, T& row) {
  auto& [device, steps, wall, p50, p90, busy, queued, host_wait, bound, why, inflated, plain,
         corrected, parts] = row;
  v(device, steps, wall, p50, p90, busy, queued, host_wait, bound, why, inflated, plain, corrected,
    parts);
}
template <class V, Packs<PhaseRow> T>
void fields(V& v, T& row) {
  auto& [name, parent, path, depth, wall, busy, exposed, bytes, calls, steps_in, every] = row;
  v(name, parent, path, depth, wall, busy, exposed, bytes, calls, steps_in, every);
}
template <class V, Packs<CellRow> T>
void fields(V& v, T& row) {
  auto& [cause, phase, path, file, line, device, ns, function, operation, calls, direction] = row;
  v(cause, phase, path, file, line, device, ns, function, operation, calls, direction);
}
template <class V, Packs<LineRow> T>
void fields(V& v, T& row) {
  auto& [file, line, kind, function, cause, ns, calls, evidence, direction] = row;
  v(file, line, kind, function, cause, ns, calls, evidence, direction);
}
template <class V, Packs<KernelRow> T>
void fields(V& v, T& row) {
  auto& [name, cause, phase, calls, ns, bytes, rate] = row;
  v(name, cause, phase, calls, ns, bytes, rate);
}
template <class V, Packs<TransferRow> T>
void fields(V& v, T& row) {
  auto& [operation, communicator, reduce, phase, calls, bytes, ns, late, latest, latest_ns] = row;
  v(operation, communicator, reduce, phase, calls, bytes, ns, late, latest, latest_ns);
}
template <class V, Packs<CountPlace> T>
void fields(V& v, T& row) {
  auto& [file, line, function, operation, direction, total] = row;
  v(file, line, function, operation, direction, total);
}
template <class V, Packs<WorkCount> T>
void fields(V& v, T& row) {
  auto& [name, total, least, most, p10, p90, in_recording, places] = row;
  v(name, total, least, most, p10, p90, in_recording, places);
}
template <class V, Packs<ExcessRow> T>
void fields(V& v, T& row) {
  auto& [cause, file, line, function, ns] = row;
  v(cause, file, line, function, ns);
}
template <class V, Packs<LongSteps> T>
void fields(V& v, T& row) {
  auto& [steps, rows, wall, loop, median, limit, longest, excess, excess_rows, left_out] = row;
  v(steps, rows, wall, loop, median, limit, longest, excess, excess_rows, left_out);
}
template <class V, Packs<LineShare> T>
void fields(V& v, T& row) {
  auto& [wall, with_line, sampled, samples, without] = row;
  v(wall, with_line, sampled, samples, without);
}
template <class V, Packs<Abstention> T>
void fields(V& v, T& row) {
  auto& [id, reason] = row;
  v(id, reason);
}
template <class V, Packs<RecorderCost> T>
void fields(V& v, T& row) {
  auto& [share, each, decode] = row;
  v(share, each, decode);
}
template <class V, Packs<Overhead> T>
void fields(V& v, T& row) {
  auto& [ratio, low, high, pairs] = row;
  v(ratio, low, high, pairs);
}
template <class V, Packs<Trust> T>
void fields(V& v, T& row) {
  auto& [dropped, lost, zero, unknown, overhead_ns, overhead, left, recorder, link, lines, waits,
         rivals, broken, over, nothing, abstained, notes] = row;
  v(dropped, lost, zero, unknown, overhead_ns, overhead, left, recorder, link, lines, waits, rivals,
    broken, over, nothing, abstained, notes);
}
template <class V, Packs<ClockSpread> T>
void fields(V& v, T& row) {
  auto& [median, lowest, highest, seen] = row;
  v(median, lowest, highest, seen);
}
template <class V, Packs<MemoryGrowth> T>
void fields(V& v, T& row) {
  auto& [trend, bytes] = row;
  v(trend, bytes);
}
template <class V, Packs<SlowSteps> T>
void fields(V& v, T& row) {
  auto& [steps, ratio] = row;
  v(steps, ratio);
}
template <class V, Packs<DeviceHealth> T>
void fields(V& v, T& row) {
  auto& [device, samples, clock, reasons, power, limit, own_limit, heat, peak, own_peak, growth,
         sent, received, others, slow] = row;
  v(device, samples, clock, reasons, power, limit, own_limit, heat, peak, own_peak, growth, sent,
    received, others, slow);
}
template <class V, Packs<Throughput> T>
void fields(V& v, T& row) {
  auto& [flops, devices, each, from, peak, utilization] = row;
  v(flops, devices, each, from, peak, utilization);
}

// A rank's own summary has no job and no findings yet, and texts of lines are looked up for the whole
// job.
template <class V, Packs<Summary> T>
void fields(V& v, T& row) {
  auto& [run, job, steps, step_parts, counted, counting, long_steps, partition, devices, phases,
         cells, counts, lines, kernels, transfers, health, throughput, sources, trust, findings] =
      row;
  static_cast<void>(job), static_cast<void>(sources), static_cast<void>(findings);
  v(run, steps, step_parts, counted, counting, long_steps, partition, devices, phases, cells,
    counts, lines, kernels, transfers, health, throughput, trust);
}

template <class V, Packs<RankPart> T>
void fields(V& v, T& row) {
  auto& [rank, record, summary, notes] = row;
  v(rank, record, summary, notes);
}
template <class V, Packs<JobPart> T>
void fields(V& v, T& row) {
  auto& [ranks, owners, world, own, events] = row;
  v(owners, ranks, world, own, events);
}

}  // namespace stepscope::job
