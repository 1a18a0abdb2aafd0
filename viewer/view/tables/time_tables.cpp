// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables/time_tables.hpp"

#include <fmt/format.h>

#include "core/report/wording/line_groups.hpp"
#include "core/report/wording/names.hpp"
#include "core/report/wording/shown_path.hpp"
#include "core/report/wording/tables.hpp"

namespace stepscope::viewer {
namespace {

TableCell timed(const StepScale& scale, std::int64_t ns) {
  return {scale.time(ns), static_cast<double>(ns)};
}
// Without a device it says nothing.
TableCell device_timed(const StepScale& scale, std::int64_t ns) {
  return scale.has_device ? timed(scale, ns) : TableCell{"", 0};
}
TableCell shared(const StepScale& scale, std::int64_t ns) {
  return {scale.share(ns), static_cast<double>(ns)};
}
TableCell counted(const StepScale& scale, std::uint64_t calls) {
  return {scale.calls(calls), static_cast<double>(calls)};
}

}  // namespace

Table owners_table(const StepScale& scale) {
  Table out{"Who owns the time",
            {{"owner"}, {scale.time_title(), true}, {"share", true}, {"what"}},
            {},
            {},
            ""};
  for (const PartSum& part : scale.summary.partition.parts) {
    out.rows.push_back({{{std::string(name_of(part.cause)), {}},
                         timed(scale, part.ns_total),
                         shared(scale, part.ns_total),
                         {cause_meaning(scale, part.cause), {}}},
                        part.cause,
                        RowAction::show_cause,
                        index_of(part.cause),
                        ""});
  }
  const std::int64_t wall = scale.summary.partition.wall_ns_total;
  out.rows.push_back({{{"= wall time", {}}, timed(scale, wall), shared(scale, wall), {"", {}}},
                      {},
                      RowAction::nothing,
                      0,
                      "",
                      true});
  return out;
}

Table phases_table(const StepScale& scale) {
  Table out{"Phases",
            {{"phase"},
             {scale.time_title(), true},
             {"share", true},
             {"calls", true},
             {"GPU busy", true},
             {"no compute", true},
             {"copied", true}},
            {},
            {},
            ""};
  for (const PhaseRow& row : scale.summary.phases) {
    const std::string remark = phase_remark_text(row);
    const double bytes = static_cast<double>(row.bytes_total) / scale.steps;
    out.rows.push_back({{{std::string(std::size_t{3} * row.depth, ' ') + row.name +
                              (remark.empty() ? "" : " (" + remark + ")"),
                          {}},
                         timed(scale, row.wall_ns_total),
                         shared(scale, row.wall_ns_total),
                         row.calls_total > 0 ? counted(scale, row.calls_total) : TableCell{"", 0},
                         device_timed(scale, row.gpu_busy_ns_total),
                         device_timed(scale, row.exposed_ns_total),
                         {bytes > 0 ? format_bytes(bytes) : "", bytes}},
                        {},
                        RowAction::show_phase,
                        0,
                        row.path});
  }
  return out;
}

Table kernels_table(const StepScale& scale, KernelGrouping by) {
  Table out{"Kernels",
            {{"device op"},
             {scale.time_title(), true},
             {"calls", true},
             {"GB/s", true},
             {"class"},
             {"phase"}},
            {},
            {},
            "no device work was recorded"};
  const bool named = by == KernelGrouping::none || by == KernelGrouping::name;
  for (const KernelRow& row : group_kernels(scale.summary.kernels, by)) {
    const std::string rate = row.bytes_per_second ? format_rate(*row.bytes_per_second) : "";
    out.rows.push_back({{{named ? short_kernel_name(row.name) : row.name, {}},
                         timed(scale, row.ns_total),
                         counted(scale, row.calls_total),
                         {rate, row.bytes_per_second.value_or(0)},
                         {by == KernelGrouping::phase ? "" : std::string(name_of(row.cause)), {}},
                         {row.phase, {}}},
                        by == KernelGrouping::phase ? std::nullopt : std::optional(row.cause),
                        named                         ? RowAction::choose_kernel
                        : by == KernelGrouping::cause ? RowAction::show_cause
                                                      : RowAction::show_phase,
                        index_of(row.cause),
                        row.name});
  }
  return out;
}

Table host_ops_table(const StepScale& scale, const std::vector<HostOpRow>& rows) {
  Table out{
      "CPU ops",
      {{"operation"}, {scale.time_title(), true}, {"share", true}, {"calls", true}, {"class"}},
      {},
      {},
      ""};
  for (const HostOpRow& row : rows)
    out.rows.push_back({{{row.name, {}},
                         timed(scale, row.ns_total),
                         shared(scale, row.ns_total),
                         counted(scale, row.calls_total),
                         {std::string(name_of(row.cause)), {}}},
                        row.cause,
                        RowAction::show_cause,
                        index_of(row.cause),
                        row.name});
  return out;
}

Table lines_table(const StepScale& scale) {
  Table out{"Lines",
            {{"line"}, {scale.time_title(), true}, {"share", true}, {"of which"}},
            {},
            {},
            "no source line was recorded"};
  for (const LineGroup& group : line_groups(scale.summary.lines)) {
    const LineRow& first = *group.rows.front();
    std::string causes;
    for (const LineRow* row : group.rows)
      causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", name_of(row->cause),
                            scale.share(row->ns_total));
    TableRow row{{{fmt::format("{}:{} {}{}", shown_file(first.file, scale.summary.run), first.line,
                               first.function, direction_text(first.direction)),
                   {}},
                  timed(scale, group.ns_total),
                  shared(scale, group.ns_total),
                  {causes, {}}},
                 first.cause,
                 RowAction::nothing,
                 0,
                 ""};
    if (!first.evidence.empty()) {
      row.action = RowAction::show_event;
      row.text = first.evidence.front();
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

Table transfers_table(const StepScale& scale) {
  Table out{"Communication",
            {{"communication"},
             {scale.time_title(), true},
             {"calls", true},
             {"sent", true},
             {"per second", true},
             {"phase"},
             {"of it waiting for"}},
            {},
            {},
            ""};
  for (const TransferRow& row : scale.summary.transfers) {
    const std::string name = row.operation + (row.reduce.empty() ? "" : " (" + row.reduce + ")");
    const double bytes = static_cast<double>(row.bytes_total) / scale.steps;
    out.rows.push_back({{{name, {}},
                         timed(scale, row.ns_total),
                         counted(scale, row.calls_total),
                         {format_bytes(bytes), bytes},
                         {format_bytes(row.bytes_per_second()), row.bytes_per_second()},
                         {row.phase, {}},
                         {waited_for_text(scale, row), {}}},
                        Cause::comm_transfer,
                        RowAction::search,
                        0,
                        row.operation});
  }
  return out;
}

}  // namespace stepscope::viewer
