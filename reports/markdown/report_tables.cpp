// SPDX-License-Identifier: Apache-2.0
// Phases, lines, device operations and communication: the largest of each.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/line_groups.hpp"
#include "core/report/wording/names.hpp"
#include "core/report/wording/shown_path.hpp"
#include "core/report/wording/tables.hpp"
#include "core/summary/rows/host_op_rows.hpp"
#include "reports/markdown/report_sections.hpp"

namespace stepscope::markdown {
namespace {

constexpr std::size_t kMostPhases = 20;
constexpr std::size_t kMostLines = 12;
constexpr std::size_t kMostKernels = 12;
constexpr std::size_t kMostTransfers = 8;
constexpr std::size_t kLongestName = 80;

std::vector<std::string> phase_row(const StepScale& scale, const PhaseRow& row) {
  std::string name;
  for (std::uint32_t i = 0; i < row.depth; ++i) name += "&emsp;";
  name += code(shortened(row.name, kLongestName));
  const std::string remark = phase_remark_text(row);
  if (!remark.empty()) name += " (" + escaped(remark) + ")";
  const double bytes = static_cast<double>(row.bytes_total) / scale.steps;
  return {name,
          scale.time(row.wall_ns_total),
          scale.share(row.wall_ns_total),
          row.calls_total > 0 ? scale.calls(row.calls_total) : "",
          scale.has_device ? scale.time(row.gpu_busy_ns_total) : "",
          scale.has_device ? scale.time(row.exposed_ns_total) : "",
          bytes > 0 ? format_bytes(bytes) : ""};
}

// What a table leaves out is counted and summed.
template <class Row>
void add_rest(Rows& rows, const StepScale& scale, const std::vector<Row>& all, std::size_t most) {
  if (all.size() <= most) return;
  std::int64_t ns = 0;
  for (std::size_t i = most; i < all.size(); ++i) ns += all[i].ns_total;
  std::vector<std::string> cells = {fmt::format("{} smaller", all.size() - most), scale.time(ns)};
  cells.resize(rows.front().size());
  rows.push_back(std::move(cells));
}

std::string line_causes(const LineGroup& group) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, group.rows.size()); ++i) {
    const LineRow& row = *group.rows[i];
    const double share = static_cast<double>(row.ns_total) / static_cast<double>(group.ns_total);
    out += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", name_of(row.cause), 100 * share);
  }
  return out;
}

}  // namespace

std::string phase_section(const StepScale& scale) {
  const std::vector<PhaseRow>& all = scale.summary.phases;
  if (!says_phases(scale.summary)) return "";
  Rows rows;
  for (const PhaseRow& row : all) {
    if (row.depth == 0 || rows.size() < kMostPhases) rows.push_back(phase_row(scale, row));
  }
  return paragraph("### Phases") + table({left("phase"),
                                          {scale.time_title()},
                                          {"share"},
                                          {"calls"},
                                          {"GPU busy"},
                                          {"no compute"},
                                          {"copied"}},
                                         rows);
}

std::string line_section(const StepScale& scale) {
  const std::vector<LineGroup> groups = line_groups(scale.summary.lines);
  if (groups.empty()) return "";
  Rows rows;
  for (std::size_t i = 0; i < std::min(kMostLines, groups.size()); ++i) {
    const LineRow& first = *groups[i].rows.front();
    std::string place =
        code(fmt::format("{}:{}", shown_file(first.file, scale.summary.run), first.line));
    if (!first.function.empty())
      place += (first.kind == SiteKind::call ? " in " : " somewhere in ") +
               code(shortened(first.function, kLongestName));
    place += direction_text(first.direction);
    rows.push_back({place, scale.time(groups[i].ns_total), scale.share(groups[i].ns_total),
                    escaped(line_causes(groups[i]))});
  }
  add_rest(rows, scale, groups, kMostLines);
  return paragraph("### Source lines") +
         table({left("line"), {scale.time_title()}, {"share"}, left("of which")}, rows);
}

std::string kernel_section(const StepScale& scale) {
  const std::vector<KernelRow>& all = scale.summary.kernels;
  if (all.empty()) return "";
  Rows rows;
  for (std::size_t i = 0; i < std::min(kMostKernels, all.size()); ++i) {
    const KernelRow& row = all[i];
    rows.push_back({code(shortened(short_kernel_name(row.name), kLongestName)),
                    scale.time(row.ns_total), scale.calls(row.calls_total),
                    row.bytes_per_second ? format_rate(*row.bytes_per_second) : "",
                    code(name_of(row.cause)), code(shortened(row.phase, kLongestName))});
  }
  add_rest(rows, scale, all, kMostKernels);
  return paragraph("### Device operations") + table({left("operation"),
                                                     {scale.time_title()},
                                                     {"calls"},
                                                     {"GB/s"},
                                                     left("class"),
                                                     left("phase")},
                                                    rows);
}

std::string host_op_section(const StepScale& scale) {
  const std::vector<HostOpRow> all = host_op_rows(scale.summary.cells);
  if (scale.has_device || all.empty()) return "";
  Rows rows;
  for (std::size_t i = 0; i < std::min(kMostKernels, all.size()); ++i)
    rows.push_back({code(shortened(all[i].name, kLongestName)), scale.time(all[i].ns_total),
                    scale.share(all[i].ns_total), scale.calls(all[i].calls_total),
                    code(name_of(all[i].cause))});
  add_rest(rows, scale, all, kMostKernels);
  return paragraph("### Operations on the CPU") +
         table({left("operation"), {scale.time_title()}, {"share"}, {"calls"}, left("class")},
               rows);
}

std::string transfer_section(const StepScale& scale) {
  const std::vector<TransferRow>& all = scale.summary.transfers;
  if (all.empty()) return "";
  Rows rows;
  for (std::size_t i = 0; i < std::min(kMostTransfers, all.size()); ++i) {
    const TransferRow& row = all[i];
    const std::string name =
        row.reduce.empty() ? row.operation : row.operation + " (" + row.reduce + ")";
    rows.push_back({code(shortened(name, kLongestName)), scale.time(row.ns_total),
                    scale.calls(row.calls_total),
                    format_bytes(static_cast<double>(row.bytes_total) / scale.steps),
                    format_bytes(row.bytes_per_second()), code(shortened(row.phase, kLongestName)),
                    escaped(waited_for_text(scale, row))});
  }
  add_rest(rows, scale, all, kMostTransfers);
  return paragraph("### Communication") + table({left("operation"),
                                                 {scale.time_title()},
                                                 {"calls"},
                                                 {"sent"},
                                                 {"per second"},
                                                 left("phase"),
                                                 left("of it waiting for")},
                                                rows);
}

}  // namespace stepscope::markdown
