// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/markdown_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/compare/delta_groups.hpp"
#include "core/report/tables.hpp"
#include "core/report/wording/diff_words.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/markdown/markdown.hpp"
#include "reports/markdown/report_sections.hpp"

namespace stepscope::markdown {
namespace {

constexpr std::size_t kMostDiffGroups = 15;
constexpr std::size_t kLongestDiffName = 60;

using DiffRows = std::vector<std::vector<std::string>>;

struct DiffWriter {
  const Comparison& c;
  TimeUnit unit;
  double a_ns = 1;

  std::string title() const { return std::string(unit.name) + "/step"; }
  std::string time(std::int64_t total) const { return format_time(c.per_step(total), unit); }
  std::string difference(std::int64_t total) const {
    return format_difference(c.per_step(total), unit);
  }
  std::string change(std::int64_t total) const { return format_change(c.per_step(total) / a_ns); }
};

MarkdownColumn words(std::string title) {
  return {std::move(title), MarkdownAlign::left};
}

std::string strong(const std::string& cell) {
  return "**" + cell + "**";
}

std::string diff_head(const Comparison& c) {
  std::string out = fmt::format("## {} against {}\n\n", code(c.b.run.path), code(c.a.run.path));
  out += strong(escaped(c.shown() ? diff_sentence(c) : "NOT COMPARABLE")) + "\n\n";
  for (const std::string& why : c.why_not)
    out += fmt::format("> [!CAUTION]\n> {}\n\n", escaped(why));
  for (const std::string& warning : c.warnings)
    out += fmt::format("> [!WARNING]\n> {}\n\n", escaped(warning));
  return out + fmt::format("- A: {}\n- B: {}\n\n", escaped(side_sentence(c.a)),
                           escaped(side_sentence(c.b)));
}

std::vector<std::string> group_row(const DiffWriter& writer, const DeltaGroup& group) {
  const DeltaPart& part = group.largest();
  const std::string place = place_of(part);
  const std::string op = shortened(short_kernel_name(part.op), kLongestDiffName);
  const std::string how = how_of(group, writer.c);
  std::string what = code(op);
  if (!how.empty()) what += (what.empty() ? "" : ": ") + escaped(how);
  return {writer.difference(group.delta_ns), writer.change(group.delta_ns),
          code(name_of(part.cause)), place.empty() ? code(part.phase) : code(place), what};
}

std::string parts_table(const DiffWriter& writer) {
  const Comparison& c = writer.c;
  const ListedGroups listed = list_groups(c.parts, kMostDiffGroups);
  DiffRows rows = {{strong(writer.time(c.a.wall_ns_total)), "", strong("A's step"), "", ""}};
  for (const DeltaGroup& group : listed.shown) rows.push_back(group_row(writer, group));
  if (listed.hidden > 0)
    rows.push_back({writer.difference(listed.hidden_ns), writer.change(listed.hidden_ns),
                    fmt::format("{} smaller", listed.hidden), "", ""});
  rows.push_back(
      {strong(writer.time(c.b.wall_ns_total)), strong(writer.change(c.delta_ns_total)),
       strong("= B's step"), "",
       fmt::format("{} ns in all over {} step{}, left over: {} ns", format_exact(c.delta_ns_total),
                   c.steps, c.steps == 1 ? "" : "s", c.residual_ns)});
  return table({{writer.title()}, {"of A"}, words("cause"), words("where"), words("how")}, rows);
}

std::string counts_table(const DiffWriter& writer) {
  DiffRows rows;
  for (const CountDelta& count : writer.c.counts) {
    if (count.a_per_step == count.b_per_step) continue;
    const bool bytes = count.counter.starts_with("bytes");
    std::string name = count.counter;
    std::replace(name.begin(), name.end(), '_', ' ');
    rows.push_back({escaped(name),
                    bytes ? format_bytes(count.a_per_step) : format_count(count.a_per_step),
                    bytes ? format_bytes(count.b_per_step) : format_count(count.b_per_step)});
  }
  if (rows.empty()) return "";
  return "### Work a step\n\n" + table({words("count"), {"A"}, {"B"}}, rows);
}

std::string write_diff(const Comparison& comparison) {
  std::string out = diff_head(comparison);
  if (comparison.shown()) {
    const double a_ns = comparison.per_step(comparison.a.wall_ns_total);
    const DiffWriter writer{comparison, unit_for_step(a_ns), std::max(1.0, a_ns)};
    out += parts_table(writer);
    for (const report::Table& one : report::diff_tables(comparison)) out += table_section(one);
    out += counts_table(writer);
  }
  out.pop_back();  // one line end at the end
  return out;
}

}  // namespace
}  // namespace stepscope::markdown

namespace stepscope {

std::string markdown_diff(const Comparison& comparison) {
  return markdown::write_diff(comparison);
}

}  // namespace stepscope
