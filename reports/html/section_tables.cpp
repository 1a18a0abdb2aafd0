// SPDX-License-Identifier: Apache-2.0
// Phases, device operations and communication.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/names.hpp"
#include "core/report/wording/tables.hpp"
#include "core/summary/rows/host_op_rows.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope::html {
namespace {

constexpr std::size_t kMostPhases = 200;
constexpr std::size_t kMostKernels = 200;
constexpr std::size_t kMostTransfers = 100;
constexpr std::size_t kLongestName = 160;
constexpr std::size_t kLongestTitle = 1000;

Cells bytes_cell(double bytes) {
  return number_cell(bytes > 0 ? format_bytes(bytes) : "", bytes);
}

// Without a device it says nothing.
Cells device_time(const Report& report, std::int64_t ns) {
  return number_cell(report.has_device ? report.time(ns) : "", report.per_step(ns));
}

Markup phase_name(const PhaseRow& row) {
  const std::string depth = fmt::format("padding-left:{:.1f}em", 1.2 * row.depth);
  const Markup name = element("span", {{"style", row.depth > 0 ? depth : ""}}, text(row.name));
  const std::string remark = phase_remark_text(row);
  return remark.empty() ? name : name + Markup(" ") + element("small", text(remark));
}

TableRow phase_row(const Report& report, const PhaseRow& row) {
  const double share = report.share_of_wall(row.wall_ns_total);
  Cells cells = words_cell(phase_name(row)) + bar_cell(share, "phase") +
                number_cell(report.time(row.wall_ns_total), report.per_step(row.wall_ns_total)) +
                number_cell(report.share(row.wall_ns_total), share) +
                number_cell(row.calls_total > 0 ? report.calls(row.calls_total) : "",
                            static_cast<double>(row.calls_total));
  cells += device_time(report, row.gpu_busy_ns_total) + device_time(report, row.exposed_ns_total) +
           bytes_cell(static_cast<double>(row.bytes_total) / report.steps);
  return html::row({{"data-phase", row.path},
                    {"data-depth", std::to_string(row.depth)},
                    {"data-ns", std::to_string(row.wall_ns_total)},
                    {"class", row.depth > 0 ? "inner" : ""}},
                   cells + exact_cell(row.wall_ns_total));
}

TableRow phase_sum(const Report& report) {
  const std::int64_t wall = report.summary.partition.wall_ns_total;
  Cells cells = words_cell("= wall time") + words_cell("") +
                number_cell(report.time(wall), report.per_step(wall)) +
                number_cell(report.share(wall), 1) + words_cell("");
  cells += words_cell("") + words_cell("") + words_cell("");
  return sum_row(cells + exact_cell(wall));
}

Cells name_cell(const KernelRow& row) {
  const std::string shown = short_kernel_name(row.name);
  const std::string title = shown == row.name ? "" : shortened(row.name, kLongestTitle);
  return code_cell(shortened(shown, kLongestName), title);
}

TableRow kernel_row(const Report& report, const KernelRow& row, double largest) {
  const double time = report.per_step(row.ns_total);
  return html::row(
      {{"data-ns", std::to_string(row.ns_total)}},
      name_cell(row) + bar_cell(largest > 0 ? time / largest : 0, family_of(row.cause)) +
          number_cell(report.time(row.ns_total), time) +
          number_cell(report.calls(row.calls_total), static_cast<double>(row.calls_total)) +
          number_cell(row.bytes_per_second ? format_rate(*row.bytes_per_second) : "",
                      row.bytes_per_second.value_or(0)) +
          words_cell(cause_label(row.cause)) + words_cell(row.phase));
}

TableRow host_op_row(const Report& report, const HostOpRow& row, std::int64_t largest) {
  const double share =
      largest > 0 ? static_cast<double>(row.ns_total) / static_cast<double>(largest) : 0;
  return html::row(
      {{"data-ns", std::to_string(row.ns_total)}},
      words_cell(shortened(row.name, kLongestName)) + bar_cell(share, family_of(row.cause)) +
          number_cell(report.time(row.ns_total), report.per_step(row.ns_total)) +
          number_cell(report.share(row.ns_total), report.share_of_wall(row.ns_total)) +
          number_cell(report.calls(row.calls_total), static_cast<double>(row.calls_total)) +
          words_cell(cause_label(row.cause)));
}

// What a table leaves out is counted and summed.
template <class Row>
TableRows rest_row(const Report& report, const std::vector<Row>& rows, std::size_t most,
                   std::size_t columns) {
  if (rows.size() <= most) return {};
  std::int64_t ns = 0;
  for (std::size_t i = most; i < rows.size(); ++i) ns += rows[i].ns_total;
  Cells cells = words_cell(fmt::format("{} smaller", rows.size() - most)) + words_cell("") +
                number_cell(report.time(ns), report.per_step(ns));
  for (std::size_t i = 3; i < columns; ++i) cells += words_cell("");
  return {html::row({{"class", "sum"}, {"data-ns", std::to_string(ns)}}, cells)};
}

TableRow transfer_row(const Report& report, const TransferRow& row) {
  std::string name = row.operation;
  if (!row.reduce.empty()) name += " (" + row.reduce + ")";
  return html::row(
      {{"data-ns", std::to_string(row.ns_total)}},
      words_cell(name) + bar_cell(report.share_of_wall(row.ns_total), CauseFamily::communication) +
          number_cell(report.time(row.ns_total), report.per_step(row.ns_total)) +
          number_cell(report.calls(row.calls_total), static_cast<double>(row.calls_total)) +
          bytes_cell(static_cast<double>(row.bytes_total) / report.steps) +
          bytes_cell(row.bytes_per_second()) + words_cell(row.phase) +
          words_cell(waited_for_text(report, row)));
}

}  // namespace

Markup phases(const Report& report) {
  const std::vector<PhaseRow>& all = report.summary.phases;
  if (!says_phases(report.summary)) return {};
  TableRows rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < kMostPhases || all[i].depth == 0) rows.push_back(phase_row(report, all[i]));
  }
  const std::vector<Column> columns = {{"Phase", ColumnKind::words},
                                       {"", ColumnKind::bar},
                                       {report.time_title()},
                                       {"share"},
                                       {"calls"},
                                       {"GPU busy"},
                                       {"no compute"},
                                       {"copied"},
                                       {"ns in all"}};
  return section(report.id("phases"), "Phases", table(columns, rows, {phase_sum(report)}));
}

Markup kernels(const Report& report) {
  const std::vector<KernelRow>& all = report.summary.kernels;
  if (all.empty()) return {};
  const std::size_t most = std::min(kMostKernels, all.size());
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(most);
  const double largest = report.per_step(all.front().ns_total);
  TableRows rows;
  for (auto row = all.begin(); row != end; ++row) rows.push_back(kernel_row(report, *row, largest));
  const std::vector<Column> columns = {{"Operation", ColumnKind::words},
                                       {"", ColumnKind::bar},
                                       {report.time_title()},
                                       {"calls"},
                                       {"GB/s"},
                                       {"class", ColumnKind::words},
                                       {"phase", ColumnKind::words}};
  const TableRows foot = rest_row(report, all, most, columns.size());
  return section(report.id("kernels"), "Device operations",
                 table(columns, rows, foot, {report.id("kernel-table"), true}));
}

Markup host_ops(const Report& report) {
  const std::vector<HostOpRow> all = host_op_rows(report.summary.cells);
  if (report.has_device || all.empty()) return {};
  const std::size_t most = std::min(kMostKernels, all.size());
  TableRows rows;
  for (std::size_t i = 0; i < most; ++i)
    rows.push_back(host_op_row(report, all[i], all.front().ns_total));
  const std::vector<Column> columns = {{"Operation", ColumnKind::words},
                                       {"", ColumnKind::bar},
                                       {report.time_title()},
                                       {"share"},
                                       {"calls"},
                                       {"class", ColumnKind::words}};
  return section(report.id("host-ops"), "Operations on the CPU",
                 table(columns, rows, rest_row(report, all, most, columns.size()),
                       {report.id("host-op-table"), true}));
}

Markup transfers(const Report& report) {
  const std::vector<TransferRow>& all = report.summary.transfers;
  if (all.empty()) return {};
  const std::size_t most = std::min(kMostTransfers, all.size());
  TableRows rows;
  for (std::size_t i = 0; i < most; ++i) rows.push_back(transfer_row(report, all[i]));
  const std::vector<Column> columns = {{"Operation", ColumnKind::words},
                                       {"", ColumnKind::bar},
                                       {report.time_title()},
                                       {"calls"},
                                       {"sent"},
                                       {"per second"},
                                       {"phase", ColumnKind::words},
                                       {"of it waiting for", ColumnKind::words}};
  return section(report.id("transfers"), "Communication",
                 table(columns, rows, rest_row(report, all, most, columns.size()),
                       {report.id("transfer-table"), true}));
}

}  // namespace stepscope::html
