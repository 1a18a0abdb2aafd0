// SPDX-License-Identifier: Apache-2.0
// Where the step goes: by cause, by device, by phase.
#include <fmt/format.h>

#include "core/report/tables.hpp"
#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"

namespace stepscope::report {
namespace {

constexpr double kLeastCauseShare = 0.002;
constexpr double kLeastUnknownShare = 0.01;
constexpr double kLeastInnerShare = 0.02;

Amount amount(const StepScale& scale, std::int64_t total) {
  return {total, scale.steps};
}

// Returns an empty cell where the device was not recorded: a 0 would say something else.
Cell if_device(const StepScale& scale, std::int64_t ns) {
  return scale.has_device ? Cell(amount(scale, ns)) : Cell();
}

Cell if_any(const StepScale& scale, std::uint64_t total) {
  return total > 0 ? Cell(amount(scale, static_cast<std::int64_t>(total))) : Cell();
}

Table time_table(const StepScale& scale) {
  Table out;
  out.unit = scale.unit;
  out.whole_ns = scale.wall_ns;
  return out;
}

Row wall_row(const StepScale& scale, std::size_t columns) {
  const Amount wall = amount(scale, scale.summary.partition.wall_ns_total);
  Row out;
  out.cells.resize(columns);
  out.cells[0] = Words{"= wall time"};
  out.cells[1] = out.cells[2] = out.cells.back() = wall;
  return out;
}

// The unknown is never hidden among the small ones.
Weight weight_of(Cause cause, double share) {
  if (is_unexplained(cause) && share >= kLeastUnknownShare) return Weight::always;
  return share < kLeastCauseShare ? Weight::minor : Weight::usual;
}

Row part_row(const StepScale& scale, const PartSum& part) {
  const Amount time = amount(scale, part.ns_total);
  Row out;
  out.cells = {part.cause, time, time, Words{cause_meaning(scale, part.cause)}, time};
  out.cause = part.cause;
  out.link = {Link::To::cause, ""};
  out.weight = weight_of(part.cause, scale.share_of_wall(part.ns_total));
  return out;
}

Row device_row(const StepScale& scale, const PartitionSummary& device) {
  const Amount busy = amount(scale, device.device_busy_ns_total);
  Row out;
  out.cells = {Words{fmt::format("GPU {}", device.device.value_or(0))}, busy, busy,
               amount(scale, device.host_wait_ns_total),
               device.parts.empty() ? Cell() : Cell(device.parts.front().cause)};
  out.weight = Weight::always;
  out.cause = Cause::gpu_other;
  return out;
}

// "1 step in 10: 210 ms". A range that names a phase is counted; a mark of PyTorch's is not.
std::string phase_remark(const PhaseRow& row) {
  if (row.path == "forward" && row.calls_total == 0) return "with the loss and all without a mark";
  if (row.every_steps < 1.5 || row.steps_in == 0) return "";
  const double each = static_cast<double>(row.wall_ns_total) / static_cast<double>(row.steps_in);
  return fmt::format("1 step in {:.0f}: {}", row.every_steps, format_duration(each));
}

Row phase_row(const StepScale& scale, const PhaseRow& row) {
  const Amount wall = amount(scale, row.wall_ns_total);
  Row out;
  out.cells = {Name{row.name, phase_remark(row), ""},
               wall,
               wall,
               if_any(scale, row.calls_total),
               if_device(scale, row.gpu_busy_ns_total),
               if_device(scale, row.exposed_ns_total),
               if_any(scale, row.bytes_total),
               wall};
  out.depth = row.depth;
  out.link = {Link::To::phase, row.path};
  const bool is_small = scale.share_of_wall(row.wall_ns_total) < kLeastInnerShare;
  if (row.depth > 1 || (row.depth == 1 && is_small)) out.weight = Weight::minor;
  return out;
}

// Returns whether the table would say more than that no part of the run has a name.
bool says_phases(const std::vector<PhaseRow>& rows) {
  return rows.size() > 1 || (rows.size() == 1 && rows[0].calls_total > 0);
}

}  // namespace

Table partition_table(const StepScale& scale) {
  Table out = time_table(scale);
  out.id = "partition";
  out.title = out.brief = scale.has_steps ? "Where the step goes" : "Where the time goes";
  out.tab = "Who owns the time";
  out.keeps_outermost = true;
  out.bars = Bars::of_largest;
  const PartitionSummary& partition = scale.summary.partition;
  out.columns = {{"cause", "cause", Kind::cause},
                 {"ns", scale.time_title(), Kind::time, "", true},
                 {"share", "share", Kind::share, "", true},
                 {"meaning", "what it is", Kind::note},
                 {"ns", exact_title(partition.steps_counted), Kind::exact}};
  for (const PartSum& part : partition.parts) out.rows.push_back(part_row(scale, part));
  out.sum = wall_row(scale, out.columns.size());
  return out;
}

Table devices_table(const StepScale& scale) {
  Table out = time_table(scale);
  out.id = "devices";
  out.title = out.brief = out.tab = "Devices";
  out.bars = Bars::of_whole;
  out.columns = {{"device", "device"},
                 {"busy_ns", "busy " + scale.time_title(), Kind::time},
                 {"busy_share", "busy", Kind::share},
                 {"host_wait_share", "waits for host", Kind::share},
                 {"largest_cause", "largest cause", Kind::cause}};
  if (scale.wall_ns <= 0) return out;
  for (const PartitionSummary& device : scale.summary.devices)
    out.rows.push_back(device_row(scale, device));
  return out;
}

Table phases_table(const StepScale& scale) {
  Table out = time_table(scale);
  out.id = "phases";
  out.title = out.tab = "Phases";
  out.brief = "Phase";
  out.keeps_outermost = true;
  out.bars = Bars::of_whole;
  out.columns = {{"phase", "phase", Kind::name},
                 {"wall_ns", scale.time_title(), Kind::time, "", true},
                 {"share", "share", Kind::share, "", true},
                 {"calls", "calls", Kind::count},
                 {"gpu_busy_ns", "GPU busy", Kind::time},
                 {"exposed_ns", "no compute", Kind::time},
                 {"bytes", "copied", Kind::bytes},
                 {"wall_ns", exact_title(scale.summary.partition.steps_counted), Kind::exact}};
  if (!says_phases(scale.summary.phases)) return out;
  for (const PhaseRow& row : scale.summary.phases) out.rows.push_back(phase_row(scale, row));
  out.sum = wall_row(scale, out.columns.size());
  return out;
}

}  // namespace stepscope::report
