// SPDX-License-Identifier: Apache-2.0
#include "core/summary/summary.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/summary/parts.hpp"

namespace stepscope {
namespace {

using namespace summary_parts;

std::vector<PerCause<std::int64_t>> parts_by_step(const Partition& partition, std::size_t steps) {
  std::vector<PerCause<std::int64_t>> parts(steps, PerCause<std::int64_t>{});
  for (const Cell& cell : partition.cells) parts[cell.step][index_of(cell.cause)] += cell.ns;
  return parts;
}

// Computes the throughput of the step without a slowing profiler, where that step is known.
std::optional<Throughput> throughput_of(const Summary& s, const std::optional<FlopOptions>& flops) {
  const PartitionSummary& p = s.partition;
  if (!flops || p.wall_ns_total == 0 || s.steps.found_by == FoundBy::whole_trace)
    return std::nullopt;
  const double step_ns =
      p.corrected_step_ns ? static_cast<double>(*p.corrected_step_ns) : p.wall_ns_per_step();
  return throughput(*flops, step_ns, std::max<std::size_t>(1, s.devices.size()), s.run.device);
}

}  // namespace

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::device:
      return "device";
    case Bound::host:
      return "host";
    case Bound::mixed:
      return "mixed";
    case Bound::not_judged:
      break;
  }
  return "not_judged";
}

void keep_sources_of_rows(std::vector<SourceText> all, Summary& summary) {
  std::map<std::string_view, std::set<std::uint32_t>> lines;
  for (const CellRow& cell : summary.cells) lines[cell.file].insert(cell.line);
  for (const WorkCount& count : summary.counts)
    for (const CountPlace& place : count.places) lines[place.file].insert(place.line);
  for (SourceText& source : all) {
    const auto wanted = lines.find(source.file);
    if (wanted == lines.end()) continue;
    std::erase_if(source.lines,
                  [&](const auto& line) { return !wanted->second.contains(line.first); });
    summary.sources.push_back(std::move(source));
  }
}

Summary summarize(const Trace& trace, const Steps& steps, const Attribution& attribution,
                  const SummaryOptions& options) {
  Counting counting = choose_steps(steps);
  if (options.only_steps) keep_only(steps, *options.only_steps, counting);
  LongSteps long_steps = sum_long_steps(trace, steps, attribution.process, counting.rows);
  if (options.without_long_steps) leave_out(steps, long_steps, counting);
  const std::optional<Overhead> overhead = measure_overhead(trace, steps);
  const std::optional<Overhead> left = overhead ? measure_left(trace, steps) : std::nullopt;
  const double lost = lost_device_work(trace, steps, counting);
  const bool can_be = device_times_can_be(trace);
  const auto partition_of = [&](const Partition& partition) {
    PartitionSummary summary = sum_partition(partition, steps, counting);
    judge_bound(summary, attribution.inflated, options.plain_step_ns, lost);
    if (overhead) correct_step(summary, *overhead, left);
    if (!can_be) leave_open(summary);
    return summary;
  };
  Summary out;
  out.run = run_facts(trace, steps);
  out.steps = steps;
  out.step_parts = parts_by_step(attribution.process, steps.list.size());
  out.counted = counting.rows;
  out.counting = counting.why;
  out.partition = partition_of(attribution.process);
  out.long_steps = std::move(long_steps);
  if (out.run.device_unseen && out.partition.steps_counted > 0) {
    out.partition.why_bound =
        "the program used CUDA and its device work was not recorded: these are times of the host, "
        "and "
        "nothing here says who limits the step";
  }
  if (trace.lacks_operations(steps.process)) {
    out.partition.why_bound =
        "no device work in these steps, and PyTorch's operations were not recorded, since this "
        "machine has a GPU: 'stepscope profile --ops' records them";
  }
  for (const Partition& device : attribution.devices) out.devices.push_back(partition_of(device));
  out.throughput = throughput_of(out, options.flops);
  out.phases = phase_rows(trace, steps, attribution, counting);
  out.cells = cell_rows(trace, attribution, counting);
  out.counts = count_work(trace, steps, counting.rows, attribution.index.get());
  out.lines = line_rows(trace, attribution.process, counting);
  out.kernels = kernel_rows(trace, steps, attribution, counting);
  out.transfers = transfer_rows(trace, steps, attribution, counting);
  out.device_health = device_health(trace, steps, counting.rows);
  out.trust = judge_trust(trace, steps, attribution, out.partition);
  note_unknown(trace, steps, attribution, counting, out.trust.notes);
  out.trust.lines = share_with_lines(trace, steps, attribution.process, counting);
  out.trust.overhead = overhead;
  out.trust.left = left;
  return out;
}

}  // namespace stepscope
