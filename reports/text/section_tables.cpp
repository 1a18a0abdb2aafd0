// SPDX-License-Identifier: Apache-2.0
// Phases, lines, device ops and communication: the largest of each.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/report/wording/line_groups.hpp"
#include "core/report/wording/names.hpp"
#include "core/report/wording/shown_path.hpp"
#include "core/report/wording/tables.hpp"
#include "core/summary/rows/host_op_rows.hpp"
#include "reports/text/colours.hpp"
#include "reports/text/one_line.hpp"
#include "reports/text/sections.hpp"
#include "reports/text/table.hpp"

namespace stepscope::text_sections {
namespace {

constexpr std::size_t kMostPhases = 9;
constexpr std::size_t kMostLines = 5;
constexpr std::size_t kMostKernels = 5;
constexpr std::size_t kMostTransfers = 3;  // in place of as many kernels: one screen
constexpr double kLeastInnerShare = 0.02;
constexpr std::size_t kNameColumns = 50;
constexpr std::size_t kNameColumnsBesideRates = 43;
constexpr std::size_t kLineColumns = 38;
constexpr std::size_t kFileColumns = 22;

bool is_phase_shown(const Page& page, const PhaseRow& row) {
  const double share = page.per_step(row.wall_ns_total) / page.wall_ns;
  return row.depth == 0 || (row.depth == 1 && share >= kLeastInnerShare);
}

// "eval (1 step in 10: 210 ms)"
std::string phase_name(const Page& page, const PhaseRow& row) {
  const std::string name =
      std::string(std::size_t{2} * row.depth, ' ') + page.style.cut_end(row.name, 36);
  const std::string remark = phase_remark_text(row);
  return remark.empty() ? name : fmt::format("{} ({})", name, remark);
}

std::vector<TextCell> phase_cells(const Page& page, const PhaseRow& row) {
  return {
      {phase_name(page, row), row.depth > 0 ? Colour::dim : Colour::plain},
      {page.time(row.wall_ns_total)},
      {page.share(row.wall_ns_total)},
      {row.calls_total > 0 ? page.calls(row.calls_total) : ""},
      {page.has_device ? page.time(row.gpu_busy_ns_total) : ""},
      {page.has_device ? page.time(row.exposed_ns_total) : ""},
      {row.bytes_total > 0 ? format_bytes(static_cast<double>(row.bytes_total) / page.steps) : ""}};
}

bool is_only_file_of_its_name(const Page& page, std::string_view file) {
  const auto name_of_file = [](std::string_view path) {
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  };
  const std::vector<LineRow>& rows = page.summary.lines;
  return std::none_of(rows.begin(), rows.end(), [&](const LineRow& other) {
    return other.file != file && name_of_file(other.file) == name_of_file(file);
  });
}

std::string named_place(const LineRow& row, std::string_view place, std::string_view function) {
  const std::string text = function.empty() ? std::string(place)
                           : row.kind == SiteKind::call
                               ? fmt::format("{} ({})", place, function)
                               : fmt::format("in {} ({})", function, place);
  return one_line(text);
}

// A call: "train.py:120 (log)". Folders give way to the function where the name tells the file. A
// function's own line, the call being somewhere inside: "in log (train.py:118)". The function
// matters less than file and line: it is what is cut.
std::string line_text(const Page& page, const LineRow& row) {
  const std::string direction = direction_text(row.direction);
  const std::string shown = shown_file(row.file, page.summary.run);
  if (page.style.whole_names)
    return named_place(row, fmt::format("{}:{}", shown, row.line), row.function) + direction;
  std::string_view file = shown;
  while (columns_of(file) > kFileColumns && file.find('/') != std::string_view::npos) {
    file.remove_prefix(file.find('/') + 1);  // the last folders and the name tell files apart
  }
  const std::string whole = fmt::format("{}:{} ({}){}", file, row.line, row.function, direction);
  const std::string_view name = file.substr(file.rfind('/') + 1);  // npos + 1 is 0
  const bool name_tells = !name.starts_with("__") && is_only_file_of_its_name(page, row.file);
  const bool is_long = columns_of(whole) + 3 > kLineColumns;  // "in ..." takes three more
  if (name_tells && (is_long || file.starts_with('/'))) file = name;
  std::string place = page.style.cut_front(fmt::format("{}:{}", file, row.line), 32);
  const std::size_t used = columns_of(place) + columns_of(direction) + 6;
  if (row.function.empty() || used + 2 > kLineColumns) return place + direction;
  return named_place(row, place, page.style.cut_end(row.function, kLineColumns - used)) + direction;
}

// "gpu.gemm 61 %, host.python 20 %": what does not fit a short cell is left out.
std::string causes_text(const Page& page, const LineGroup& group) {
  constexpr std::size_t kColumnsOfCauses = 41;
  std::string out;
  for (const LineRow* row : group.rows) {
    const double share = static_cast<double>(row->ns_total) / static_cast<double>(group.ns_total);
    std::string next = std::string(out.empty() ? "" : ", ") + std::string(name_of(row->cause));
    if (group.rows.size() > 1) next += fmt::format(" {:.0f} %", 100 * share);
    const bool fits = page.style.whole_names || columns_of(out + next) <= kColumnsOfCauses;
    if (!out.empty() && (share < 0.05 || !fits)) break;
    out += next;
  }
  return out;
}

// Copies and sets have a rate; where one is shown, names give way to its column.
std::vector<TextCell> kernel_cells(const Page& page, const KernelRow& row, bool rates) {
  const std::size_t width = rates ? kNameColumnsBesideRates : kNameColumns;
  return {{page.style.cut_end(short_kernel_name(row.name), width)},
          {page.time(row.ns_total)},
          {page.calls(row.calls_total)},
          {row.bytes_per_second ? format_rate(*row.bytes_per_second) : ""},
          {std::string(name_of(row.cause)), colour_of(row.cause)},
          {page.style.cut_end(row.phase, 14), Colour::dim}};
}

std::vector<TextCell> transfer_cells(const Page& page, const TransferRow& row) {
  std::string name = row.operation;
  if (!row.reduce.empty()) name += " (" + row.reduce + ")";
  return {{page.style.cut_end(name, kNameColumns)},
          {page.time(row.ns_total)},
          {page.calls(row.calls_total)},
          {format_bytes(static_cast<double>(row.bytes_total) / page.steps)},
          {format_bytes(row.bytes_per_second())},
          {page.style.cut_end(row.phase, 14), Colour::dim},
          {waited_for_text(page, row)}};
}

}  // namespace

std::string phases(const Page& page) {
  const std::vector<PhaseRow>& rows = page.summary.phases;
  if (!says_phases(page.summary)) return "";
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
               Align::right});
  table.head({"Phase", page.time_title(), "share", "calls", "GPU busy", "no compute", "copied"});
  std::size_t shown = 0;
  std::size_t hidden = 0;
  std::int64_t hidden_ns = 0;
  for (const PhaseRow& row : rows) {
    if (!is_phase_shown(page, row)) continue;
    if (shown++ < kMostPhases) {
      table.row(phase_cells(page, row));
    } else if (row.depth == 0) {
      hidden += 1;
      hidden_ns += row.wall_ns_total;
    }
  }
  if (hidden > 0) {
    table.row({{fmt::format("{} smaller", hidden), Colour::dim},
               {page.time(hidden_ns)},
               {page.share(hidden_ns)}});
  }
  return table.render(page.style);
}

std::string lines(const Page& page) {
  const std::vector<LineGroup> groups = line_groups(page.summary.lines);
  if (groups.empty()) return "";
  Table table({Align::left, Align::right, Align::right, Align::left});
  table.head({"Line", page.time_title(), "share", "of which"});
  std::int64_t hidden_ns = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const LineGroup& group = groups[i];
    if (i >= kMostLines) hidden_ns += group.ns_total;
    if (i >= kMostLines) continue;
    table.row({{line_text(page, *group.rows.front())},
               {page.time(group.ns_total)},
               {page.share(group.ns_total)},
               {causes_text(page, group), colour_of(group.rows.front()->cause)}});
  }
  if (groups.size() > kMostLines)
    table.row({{fmt::format("{} smaller", groups.size() - kMostLines), Colour::dim},
               {page.time(hidden_ns)},
               {page.share(hidden_ns)}});
  return table.render(page.style);
}

std::string kernels(const Page& page) {
  const std::size_t most = page.summary.transfers.empty() ? kMostKernels : kMostKernels - 2;
  const std::span<const KernelRow> rows(page.summary.kernels.data(),
                                        std::min(most, page.summary.kernels.size()));
  if (rows.empty()) return "";
  const bool rates = std::any_of(rows.begin(), rows.end(),
                                 [](const KernelRow& row) { return row.bytes_per_second; });
  Table table({Align::left, Align::right, Align::right, Align::right, Align::left, Align::left});
  table.head({"Device op", page.time_title(), "calls", "GB/s", "class", "phase"});
  for (const KernelRow& row : rows) table.row(kernel_cells(page, row, rates));
  return table.render(page.style);
}

std::string host_ops(const Page& page) {
  if (page.has_device) return "";
  const std::vector<HostOpRow> rows = host_op_rows(page.summary.cells);
  if (rows.empty()) return "";
  Table table({Align::left, Align::right, Align::right, Align::right, Align::left});
  table.head({"CPU op", page.time_title(), "share", "calls", "class"});
  for (std::size_t i = 0; i < std::min(kMostKernels, rows.size()); ++i)
    table.row({{page.style.cut_end(rows[i].name, kNameColumnsBesideRates)},
               {page.time(rows[i].ns_total)},
               {page.share(rows[i].ns_total)},
               {page.calls(rows[i].calls_total)},
               {std::string(name_of(rows[i].cause)), colour_of(rows[i].cause)}});
  return table.render(page.style);
}

std::string transfers(const Page& page) {
  const std::vector<TransferRow>& rows = page.summary.transfers;
  if (rows.empty()) return "";
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::left,
               Align::left});
  table.head({"Communication", page.time_title(), "calls", "sent", "per second", "phase",
              "of it waiting for"});
  for (std::size_t i = 0; i < std::min(kMostTransfers, rows.size()); ++i)
    table.row(transfer_cells(page, rows[i]));
  return table.render(page.style);
}

}  // namespace stepscope::text_sections
