// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/markdown_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/markdown/markdown.hpp"
#include "reports/wording/health.hpp"
#include "reports/wording/line_groups.hpp"
#include "reports/wording/names.hpp"
#include "reports/wording/tables.hpp"
#include "reports/wording/trust.hpp"
#include "reports/wording/verdict.hpp"

namespace stepscope::markdown {
namespace {

constexpr std::size_t kMostPhases = 20;
constexpr std::size_t kMostLines = 12;
constexpr std::size_t kMostKernels = 12;
constexpr std::size_t kMostTransfers = 8;
constexpr std::size_t kLongestName = 80;

using Rows = std::vector<std::vector<std::string>>;

MarkdownColumn left(std::string title) {
  return {std::move(title), MarkdownAlign::left};
}

std::string paragraph(const std::string& markdown) {
  return markdown.empty() ? "" : markdown + "\n\n";
}

// GitHub shows a quotation that begins so as a warning.
std::string warning(std::string_view words) {
  return fmt::format("> [!WARNING]\n> {}\n\n", escaped(words));
}

std::string bold(const std::string& markdown) {
  return "**" + markdown + "**";
}

std::string facts(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : " · ") + escaped(part);
  return out;
}

std::string alerts(const StepScale& scale) {
  const Trust& trust = scale.summary.trust;
  std::string out;
  for (const std::string& sentence : trust.broken_invariants) out += warning("Broken: " + sentence);
  if (!trust.nothing_recorded.empty())
    return out + warning("Nothing recorded: " + trust.nothing_recorded);
  for (const std::string& sentence : trust.over_budget) out += warning("Unexplained: " + sentence);
  return out;
}

std::string verdict_section(const StepScale& scale) {
  const Summary& summary = scale.summary;
  std::vector<std::string> what = what_ran(summary.run);
  if (!what.empty()) what.erase(what.begin());  // the path is the title
  std::string out = paragraph("## " + code(summary.run.path)) + alerts(scale);
  std::string head = bold(escaped(verdict_label(scale).text));
  const std::string time = step_time_text(scale);
  if (!time.empty()) head += " " + bold(escaped(time));
  out += paragraph(head) + paragraph(escaped(summary.partition.why_bound));
  if (summary.outliers.matter()) out += paragraph(escaped(outliers_text(scale)));
  if (summary.throughput) out += paragraph(escaped(throughput_text(scale)));
  out += paragraph(escaped(summary.counting));
  return out + paragraph(facts(what)) + paragraph(facts(where_it_ran(summary.run)));
}

std::string partition_section(const StepScale& scale) {
  const PartitionSummary& p = scale.summary.partition;
  if (p.parts.empty()) return "";
  Rows rows;
  for (const PartSum& part : p.parts) {
    rows.push_back({code(name_of(part.cause)), scale.time(part.ns_total),
                    scale.share(part.ns_total), escaped(cause_meaning(scale, part.cause)),
                    format_exact(part.ns_total)});
  }
  rows.push_back({bold("= wall time"), bold(scale.time(p.wall_ns_total)),
                  bold(scale.share(p.wall_ns_total)), "", bold(format_exact(p.wall_ns_total))});
  return paragraph(scale.has_steps ? "### Where the step goes" : "### Where the time goes") +
         table({left("cause"), {scale.time_title()}, {"share"}, left("what it is"), {"ns in all"}},
               rows);
}

std::vector<std::string> phase_row(const StepScale& scale, const PhaseRow& row) {
  std::string name;
  for (std::uint32_t i = 0; i < row.depth; ++i) name += "&emsp;";
  name += code(row.name);
  const std::string period = phase_period_text(row);
  if (!period.empty()) name += " (" + escaped(period) + ")";
  std::vector<std::string> cells = {name, scale.time(row.wall_ns_total),
                                    scale.share(row.wall_ns_total),
                                    row.calls_total > 0 ? scale.calls(row.calls_total) : ""};
  if (scale.has_device) {
    cells.push_back(scale.time(row.gpu_busy_ns_total));
    cells.push_back(scale.time(row.exposed_ns_total));
  }
  return cells;
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

std::string phase_section(const StepScale& scale) {
  const std::vector<PhaseRow>& all = scale.summary.phases;
  if (all.size() < 2) return "";
  Rows rows;
  for (const PhaseRow& row : all) {
    if (row.depth == 0 || rows.size() < kMostPhases) rows.push_back(phase_row(scale, row));
  }
  std::vector<MarkdownColumn> columns = {left("phase"), {scale.time_title()}, {"share"}, {"calls"}};
  if (scale.has_device) columns.insert(columns.end(), {{"GPU busy"}, {"no compute"}});
  return paragraph("### Phases") + table(columns, rows);
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

std::string line_section(const StepScale& scale) {
  const std::vector<LineGroup> groups = line_groups(scale.summary.lines);
  if (groups.empty()) return "";
  Rows rows;
  for (std::size_t i = 0; i < std::min(kMostLines, groups.size()); ++i) {
    const LineRow& first = *groups[i].rows.front();
    std::string place = code(fmt::format("{}:{}", first.file, first.line));
    if (!first.function.empty())
      place += (first.kind == SiteKind::call ? " in " : " somewhere in ") +
               code(shortened(first.function, kLongestName));
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
                    code(name_of(row.cause)), code(row.phase)});
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
                    format_bytes(row.bytes_per_second()), code(row.phase),
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

std::string health_section(const StepScale& scale) {
  if (scale.summary.device_health.empty()) return "";
  std::string out;
  for (const DeviceHealth& device : scale.summary.device_health) {
    for (const std::string& sentence : health_sentences(device))
      out += fmt::format("- GPU {}: {}{}\n", device.device, has_trouble(device) ? "⚠ " : "",
                         escaped(sentence));
  }
  return paragraph("### Device health") + out + "\n";
}

std::string trust_section(const StepScale& scale) {
  const Trust& trust = scale.summary.trust;
  std::string out = "- " + escaped(steps_text(scale)) + "\n";
  const auto item = [&out](const std::string& words) { out += "- " + escaped(words) + "\n"; };
  for (const std::string& sentence : scale.summary.steps.notes) item(sentence);
  for (const TrustFact& fact : trust_facts(scale)) item((fact.good ? "✓ " : "⚠ ") + fact.text);
  if (trust.recorder) item(recorder_text(*trust.recorder));
  for (const std::string& rival : trust.rivals) item("⚠ another tracer was active: " + rival);
  if (!trust.abstained.empty()) item("not recorded, so never blamed: " + abstained_text(trust));
  for (const std::string& sentence : trust.notes) item(sentence);
  return paragraph("### Steps, and how far to trust this") + out + "\n";
}

std::string one_report(const Summary& summary) {
  const StepScale scale = scale_of(summary);
  std::string out;
  for (const auto section : {verdict_section, partition_section, phase_section, line_section,
                             kernel_section, transfer_section, health_section, trust_section}) {
    out += section(scale);
  }
  out.pop_back();  // one line end at the end
  return out;
}

std::string write_report(const std::vector<Summary>& summaries) {
  std::string out;
  for (const Summary& summary : summaries)
    out += (out.empty() ? "" : "\n---\n\n") + one_report(summary);
  return out;
}

}  // namespace
}  // namespace stepscope::markdown

namespace stepscope {

std::string markdown_report(const std::vector<Summary>& summaries) {
  return markdown::write_report(summaries);
}

}  // namespace stepscope
