// SPDX-License-Identifier: Apache-2.0
// Operations that own time: of devices, of the CPU, and between ranks.
#include <fmt/format.h>

#include "core/report/tables.hpp"
#include "core/report/wording/numbers.hpp"
#include "core/summary/rows/operation_rows.hpp"

namespace stepscope::report {
namespace {

Amount amount_of(const StepScale& scale, std::uint64_t total) {
  return {static_cast<std::int64_t>(total), scale.steps};
}

Table operation_table(const StepScale& scale) {
  Table out;
  out.unit = scale.unit;
  out.whole_ns = scale.wall_ns;
  out.bars = Bars::of_largest;
  out.columns = {{"name", "operation", Kind::name},
                 {"ns", scale.time_title(), Kind::time, "", true}};
  return out;
}

void add_columns(Table& table, std::vector<Column> columns) {
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
}

// A group's name is its class's, or its phase's.
Row kernel_row(const StepScale& scale, const KernelRow& row, KernelGrouping by) {
  const bool named = by == KernelGrouping::none || by == KernelGrouping::name;
  const bool has_class = by != KernelGrouping::phase;
  Row out;
  out.cells = {named ? Name{short_kernel_name(row.name), "", row.name} : Name{row.name, "", ""},
               Amount{row.ns_total, scale.steps},
               amount_of(scale, row.calls_total),
               row.bytes_per_second ? Cell(*row.bytes_per_second) : Cell(),
               has_class ? Cell(row.cause) : Cell(),
               Words{row.phase}};
  if (has_class) out.cause = row.cause;
  const bool to_cause = by == KernelGrouping::cause;
  out.link = {named ? Link::To::kernel : to_cause ? Link::To::cause : Link::To::phase, row.name};
  return out;
}

Row host_op_row(const StepScale& scale, const HostOpRow& row) {
  const Amount time{row.ns_total, scale.steps};
  Row out;
  out.cells = {Name{row.name, "", ""}, time, time, amount_of(scale, row.calls_total), row.cause};
  out.cause = row.cause;
  out.link = {Link::To::cause, row.name};
  return out;
}

// "0.077, rank 1 83 %": how long a step, and for which rank most of that.
std::string waited_for(const StepScale& scale, const TransferRow& row) {
  if (row.latest_rank < 0) return "";
  const double share =
      static_cast<double>(row.latest_rank_ns_total) / static_cast<double>(row.late_ns_total);
  return fmt::format("{}, rank {} {:.0f} %", scale.time(row.late_ns_total), row.latest_rank,
                     100 * share);
}

Row transfer_row(const StepScale& scale, const TransferRow& row) {
  const std::string reduce = row.reduce.empty() ? "" : " (" + row.reduce + ")";
  Row out;
  out.cells = {Name{row.operation + reduce, "", ""},
               Amount{row.ns_total, scale.steps},
               amount_of(scale, row.calls_total),
               amount_of(scale, row.bytes_total),
               row.bytes_per_second(),
               Words{row.phase},
               Words{waited_for(scale, row)}};
  out.cause = Cause::comm_transfer;
  out.link = {Link::To::operation, row.operation};
  return out;
}

}  // namespace

Table kernels_table(const StepScale& scale, KernelGrouping by) {
  Table out = operation_table(scale);
  out.id = "kernels";
  out.title = "Device operations";
  out.brief = "Device op";
  out.tab = "Kernels";
  if (scale.has_device) out.empty = "no device work was recorded";
  add_columns(out, {{"calls", "calls", Kind::count},
                    {"bytes_per_second", "GB/s", Kind::rate},
                    {"class", "class", Kind::cause},
                    {"phase", "phase", Kind::phase}});
  for (const KernelRow& row : group_kernels(scale.summary.kernels, by))
    out.rows.push_back(kernel_row(scale, row, by));
  return out;
}

Table host_ops_table(const StepScale& scale) {
  Table out = operation_table(scale);
  out.id = "host-ops";
  out.title = "Operations on the CPU";
  out.brief = "CPU op";
  out.tab = "CPU ops";
  add_columns(out, {{"share", "share", Kind::share, "", true},
                    {"calls", "calls", Kind::count},
                    {"class", "class", Kind::cause}});
  if (scale.has_device) return out;
  for (const HostOpRow& row : host_op_rows(scale.summary.cells))
    out.rows.push_back(host_op_row(scale, row));
  return out;
}

Table transfers_table(const StepScale& scale) {
  Table out = operation_table(scale);
  out.id = "transfers";
  out.title = out.brief = out.tab = "Communication";
  out.bars = Bars::of_whole;
  add_columns(out, {{"calls", "calls", Kind::count},
                    {"bytes", "sent", Kind::bytes},
                    {"bytes_per_second", "per second", Kind::bytes},
                    {"phase", "phase", Kind::phase},
                    {"waited_for", "of it waiting for", Kind::words}});
  for (const TransferRow& row : scale.summary.transfers)
    out.rows.push_back(transfer_row(scale, row));
  return out;
}

Tables report_tables(const StepScale& scale, KernelGrouping by) {
  return {{partition_table(scale), ranks_table(scale)},
          {devices_table(scale), phases_table(scale), lines_table(scale), kernels_table(scale, by),
           host_ops_table(scale), transfers_table(scale)},
          {sections_table(scale.summary)}};
}

Table table_named(std::string_view id, const StepScale& scale) {
  Tables tables = report_tables(scale);
  for (std::vector<Table>* some : {&tables.ledger, &tables.details, &tables.loops})
    for (Table& table : *some)
      if (table.id == id) return std::move(table);
  return {};
}

}  // namespace stepscope::report
