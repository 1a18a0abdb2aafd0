// SPDX-License-Identifier: Apache-2.0
// The description of each struct of a report's document. `steps`: those that the sums are over.
#pragma once

#include <algorithm>

#include "core/summary/document/fields.hpp"

namespace stepscope::document {

template <class V, Is<RunFacts> Run>
void fields(V& v, Run& run) {
  v.maybe("path", run.path);
  v.maybe("source", run.source);
  v.maybe("command", run.command);
  v.maybe("host", run.host);
  v.maybe("device", run.device);
  v.maybe("device_count", run.device_count);
  v.maybe("processes", run.processes);
  v.maybe("events", run.events);
  v.if_any("device_uuid", run.device_uuid);
  v.if_any("rank", as<Meaning::rank>(run.rank));
  v.if_any("world_size", as<Meaning::rank>(run.world_size));
  v.maybe("versions", run.versions);
}

template <class V, Is<JobReason> Reason>
void fields(V& v, Reason& reason) {
  v.need("cause", reason.cause);
  v.maybe("phase_path", reason.phase_path);
  line_fields(v, reason);
  v.need("ns_total", as<Meaning::difference>(reason.ns_total));
}

template <class V, Is<JobRank> Rank>
void fields(V& v, Rank& rank) {
  const auto total = [&v](const char* name, auto& ns) {
    v.need(name, as<Meaning::difference>(ns));
  };
  v.need("rank", as<Meaning::rank>(rank.rank));
  v.maybe("host", rank.host);
  v.need("steps_counted", rank.steps_counted);
  total("wall_ns_total", rank.wall_ns_total);
  total("work_ns_total", rank.work_ns_total);
  total("transfer_ns_total", rank.transfer_ns_total);
  total("waits_ns_total", rank.waits_ns_total);
  total("undecided_ns_total", rank.undecided_ns_total);
  total("costs_others_ns_total", rank.costs_ns_total);
  v.need("times_last", rank.times_last);
  v.need("late", rank.is_late);
  if (rank.is_late) v.derived("late_by", name_of(late_by(rank)));
  total("gain_ns_total", rank.gain_ns_total);
  v.list("reasons", rank.reasons);
}

template <class V, Is<JobLink> Link>
void fields(V& v, Link& link) {
  v.need("ranks", link.ranks);
  v.need("operation", link.operation);
  v.need("times_as_long", link.times_as_long);
  v.need("cost_ns_total", as<Meaning::difference>(link.cost_ns_total));
  v.need("collectives", link.collectives);
}

template <class V, Is<JobClock> Clock>
void fields(V& v, Clock& clock) {
  v.need("host", clock.host);
  v.need("offset_ns", as<Meaning::difference>(clock.offset_ns));
  v.need("drift", clock.drift);
  v.need("error_ns", as<Meaning::difference>(clock.error_ns));
  v.need("collectives", clock.collectives);
}

template <class V, Is<JobFacts> Job>
void fields(V& v, Job& job) {
  v.need("world_size", as<Meaning::rank>(job.world_size));
  v.need("steps_counted", job.steps_counted);
  v.need("wall_ns_total", as<Meaning::difference>(job.wall_ns_total));
  v.need("collectives", job.collectives);
  v.list("ranks", job.ranks);
  v.list_if_any("slow_links", job.slow_links);
  v.list("clocks", job.clocks);
  v.need("notes", job.notes);
}

template <class V, Is<PartSum> Part, Is<PartitionSummary> Partition>
void fields(V& v, Part& part, Partition& p) {
  const double ns = per_step(part.ns_total, p.steps_counted);
  v.need("cause", part.cause);
  v.need("ns_total", part.ns_total);
  v.derived("ns_per_step", ns);
  v.derived("share", p.wall_ns_total == 0 ? 0 : ns / p.wall_ns_per_step());
}

template <class V, Is<PartitionSummary> Partition>
void fields(V& v, Partition& p) {
  v.if_any("device", p.device);
  v.need("steps_counted", p.steps_counted);
  v.need("wall_ns_total", p.wall_ns_total);
  v.derived("wall_ns_per_step", p.wall_ns_per_step());
  v.need("p50_ns", p.p50_ns);
  v.need("p90_ns", p.p90_ns);
  v.maybe("device_busy_ns_total", p.device_busy_ns_total);
  v.derived("device_busy_ns_per_step", per_step(p.device_busy_ns_total, p.steps_counted));
  v.maybe("host_wait_ns_total", p.host_wait_ns_total);
  v.maybe("queued_share", p.queued_share);
  v.need("bound", p.bound);
  v.maybe("why_bound", p.why_bound);
  v.if_any("plain_step_ns", p.plain_step_ns);
  v.if_any("corrected_step_ns", p.corrected_step_ns);
  v.maybe("inflated", p.inflated);
  v.list("parts", p.parts, p);
}

template <class V, Is<PhaseRow> Phase>
void fields(V& v, Phase& row, std::uint64_t steps) {
  v.need("phase", row.name);
  v.if_any("parent", row.parent);
  if constexpr (V::kReads) row.path = row.name;
  v.maybe("path", row.path);
  v.need("wall_ns_total", row.wall_ns_total);
  v.derived("wall_ns_per_step", per_step(row.wall_ns_total, row.steps_in));
  v.derived("amortised_ns_per_step", per_step(row.wall_ns_total, steps));
  v.maybe("gpu_busy_ns_total", row.gpu_busy_ns_total);
  v.derived("gpu_busy_ns_per_step", per_step(row.gpu_busy_ns_total, steps));
  v.maybe("exposed_ns_total", row.exposed_ns_total);
  v.derived("exposed_ns_per_step", per_step(row.exposed_ns_total, steps));
  v.mean("bytes_per_step", row.bytes_total, steps);
  v.mean("calls_per_step", row.calls_total, steps);
  v.maybe("steps_in", row.steps_in);
  v.maybe("every_steps", row.every_steps);
  if constexpr (V::kReads)
    row.depth = static_cast<std::uint32_t>(std::count(row.path.begin(), row.path.end(), '/'));
}

template <class V, Is<CellRow> CellOf>
void fields(V& v, CellOf& cell) {
  v.need("cause", cell.cause);
  v.need("phase", cell.phase);
  if constexpr (V::kReads) cell.phase_path = cell.phase;
  v.maybe("phase_path", cell.phase_path);
  line_fields(v, cell);
  if (v.wants(!cell.file.empty())) v.if_any("direction", cell.direction);
  v.if_any("operation", as<Meaning::operation>(cell.operation));
  v.if_any("device", cell.device);
  v.need("ns_total", cell.ns_total);
  v.maybe("calls_total", cell.calls_total);
}

template <class V, Is<CountPlace> Place>
void fields(V& v, Place& place) {
  line_fields(v, place);
  if (v.wants(!place.file.empty())) v.if_any("direction", place.direction);
  v.if_any("operation", as<Meaning::operation>(place.operation));
  v.need("total", place.total);
}

template <class V, Is<WorkCount> Count>
void fields(V& v, Count& count, std::uint64_t steps) {
  v.need("name", count.name);
  v.need("total", count.total);
  v.derived("per_step", per_step(count.total, steps));
  v.need("least_a_step", count.least_a_step);
  v.need("most_a_step", count.most_a_step);
  v.if_any("p10_a_step", count.p10_a_step);
  v.if_any("p90_a_step", count.p90_a_step);
  v.if_any("in_recording", count.in_recording);
}

template <class V, Is<LineRow> Line>
void fields(V& v, Line& row, std::uint64_t steps) {
  v.need("file", row.file);
  v.need("line", row.line);
  v.maybe("line_kind", as<Meaning::line_kind>(row.kind));
  v.maybe("function", row.function);
  v.need("cause", row.cause);
  v.need("ns_total", row.ns_total);
  v.derived("ns_per_step", per_step(row.ns_total, steps));
  v.mean("calls_per_step", row.calls_total, steps);
  v.maybe("evidence", row.evidence);
  v.if_any("direction", row.direction);
}

template <class V, Is<KernelRow> Kernel>
void fields(V& v, Kernel& row, std::uint64_t steps) {
  v.need("name", row.name);
  v.need("class", row.cause);
  v.maybe("phase", row.phase);
  v.mean("calls_per_step", row.calls_total, steps);
  v.need("ns_total", row.ns_total);
  v.derived("ns_per_step", per_step(row.ns_total, steps));
  if (v.wants(row.bytes_total > 0)) v.mean("bytes_per_step", row.bytes_total, steps);
  v.if_any("bytes_per_second", row.bytes_per_second);
}

// Communicators are hashes of 64 bits: as text, since many readers hold numbers as doubles.
template <class V, Is<TransferRow> Transfer>
void fields(V& v, Transfer& row, std::uint64_t steps) {
  v.need("operation", row.operation);
  v.if_any("communicator", as<Meaning::hash>(row.communicator));
  v.if_any("reduce", row.reduce);
  v.maybe("phase", row.phase);
  v.mean("calls_per_step", row.calls_total, steps);
  v.need("bytes_total", row.bytes_total);
  v.derived("bytes_per_step", per_step(row.bytes_total, steps));
  v.need("ns_total", row.ns_total);
  v.derived("ns_per_step", per_step(row.ns_total, steps));
  v.derived("bytes_per_second", row.bytes_per_second());
  if (!v.wants(row.latest_rank >= 0)) return;
  v.maybe("late_ns_total", row.late_ns_total);
  v.derived("late_ns_per_step", per_step(row.late_ns_total, steps));
  v.object("latest_rank", [&](auto& inner) {
    inner.need("rank", as<Meaning::rank>(row.latest_rank));
    inner.mean("ns_per_step", row.latest_rank_ns_total, steps);
  });
}

template <class V, Is<FindingPlace> Place>
void fields(V& v, Place& place) {
  v.need("file", place.file);
  v.need("line", place.line);
  v.maybe("line_kind", as<Meaning::line_kind>(place.kind));
  v.if_any("function", place.function);
  v.maybe("caused_ns_per_step", place.caused_ns_per_step);
}

template <class V, Is<Forecast> Forecasted>
void fields(V& v, Forecasted& forecast) {
  v.need("ns_per_step", forecast.ns_per_step);
  v.need("low", forecast.low_ns_per_step);
  v.need("high", forecast.high_ns_per_step);
  v.maybe("ceiling_ns_per_step", forecast.ceiling_ns_per_step);
  v.maybe("assumptions", forecast.assumptions);
}

template <class V, Is<EvidenceEvent> Event>
void fields(V& v, Event& event) {
  v.need("id", event.id);
  v.need("name", event.name);
  v.need("ns", as<Meaning::any>(event.ns));
  v.if_any("step", event.step);
}

template <class V, Is<Finding> Found>
void fields(V& v, Found& finding) {
  v.need("id", finding.id);
  v.need("severity", finding.severity);
  v.maybe("title", finding.title);
  v.maybe("phase", finding.phase);
  if (!finding.places.empty()) {
    v.derived("file", finding.places.front().file);
    v.derived("line", finding.places.front().line);
  }
  v.maybe_list("places", finding.places);
  v.need("count_per_step", finding.count_per_step);
  v.need("caused_ns_per_step", finding.caused_ns_per_step);
  v.need("ceiling_ns_per_step", finding.ceiling_ns_per_step);
  v.maybe("share", finding.share);
  v.if_any("link_rate", finding.link_rate);
  v.if_any("shows_as", finding.shows_as);
  v.maybe("forecast", finding.forecast);
  v.maybe("fix", finding.fix);
  v.if_any("code_hint", finding.code_hint);
  v.maybe("falsified_by", finding.falsified_by);
  v.if_any("no_gain", finding.no_gain);
  v.if_any("by_own_threads", finding.by_own_threads);
  v.need("certainty", finding.certainty);
  v.maybe("evidence", finding.evidence);
  v.list_if_any("events", finding.events);
}

template <class V, Is<ClockSpread> Spread>
void fields(V& v, Spread& clock) {
  v.need("median", clock.median);
  v.need("lowest", clock.lowest);
  v.need("highest", clock.highest);
  v.need("highest_seen", clock.highest_seen);
}

template <class V, Is<ReasonShare> Reason>
void fields(V& v, Reason& reason) {
  v.need("reason", as<Meaning::clock_reason>(reason));
  v.need("share", reason.share);
}

template <class V, Is<SlowSteps> Slow>
void fields(V& v, Slow& slow) {
  v.need("steps", slow.steps);
  v.need("clock_ratio", slow.clock_ratio);
}

template <class V, Is<DeviceHealth> Health>
void fields(V& v, Health& health) {
  v.need("device", health.device);
  v.maybe("samples", health.samples);
  v.maybe("sm_clock_mhz", health.sm_clock_mhz);
  v.maybe_list("clock_reasons", health.reasons);
  v.maybe("mean_power_w", health.mean_power_w);
  v.maybe("power_limit_w", health.power_limit_w);
  v.maybe("default_power_limit_w", health.default_power_limit_w);
  v.maybe("highest_temperature_celsius", health.highest_temperature_celsius);
  v.maybe("memory_peak_bytes", health.memory_peak_bytes);
  v.maybe("process_memory_peak_bytes", health.process_memory_peak_bytes);
  v.maybe("memory_trend", health.memory_growth.trend);
  v.maybe("memory_growth_bytes_per_step", health.memory_growth.bytes_per_step);
  v.maybe("nvlink_sent_bytes_per_second", health.nvlink_sent_bytes_per_second);
  v.maybe("nvlink_received_bytes_per_second", health.nvlink_received_bytes_per_second);
  v.maybe("other_processes", health.other_processes);
  v.maybe("slow_steps", health.slow_steps);
}

template <class V, Is<Throughput> Rate>
void fields(V& v, Rate& rate) {
  v.need("flops_per_step", rate.flops_per_step);
  v.need("devices", rate.devices);
  v.need("tflops_per_device", rate.tflops_per_device);
  v.need("peak_from", rate.peak_from);
  v.maybe("peak_tflops", rate.peak_tflops);
  v.maybe("mfu", rate.utilization);
}

template <class V, Is<Overhead> Cost>
void fields(V& v, Cost& cost, const char* pairs) {
  v.need("ratio", cost.ratio);
  v.need("low", cost.low);
  v.need("high", cost.high);
  v.need(pairs, cost.pairs);
}

template <class V, Is<RecorderCost> Cost>
void fields(V& v, Cost& cost) {
  v.need("core_share", cost.core_share);
  v.need("ns_per_event", cost.ns_per_event);
  v.need("decode_ns_per_event", cost.decode_ns_per_event);
}

template <class V, Is<Trust> T>
void fields(V& v, T& trust) {
  v.maybe("dropped", trust.dropped);
  v.maybe("lost_chunks", trust.lost_chunks);
  v.maybe("zero_timestamps", trust.zero_timestamps);
  v.maybe("unknown_share", trust.unknown_share);
  v.maybe("overhead_ns_per_step", trust.overhead_ns_per_step);
  v.maybe("link_rate", trust.link_rate);
  v.maybe("rivals", trust.rivals);
  v.maybe("broken_invariants", trust.broken_invariants);
  v.maybe("over_budget", trust.over_budget);
  v.maybe("notes", trust.notes);
  v.lines(trust.lines);
  v.if_any("core_wait_share", trust.core_wait_share);
  v.object_if_any("overhead", trust.overhead, "windows");
  v.object_if_any("overhead_left", trust.left, "steps");
  v.object_if_any("recorder", trust.recorder);
}

}  // namespace stepscope::document
