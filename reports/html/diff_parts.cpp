// SPDX-License-Identifier: Apache-2.0
// Every part of a difference, and the work that other work replaced.
#include <fmt/format.h>

#include "core/compare/delta_groups.hpp"
#include "core/report/wording/numbers.hpp"
#include "core/report/wording/step_scale.hpp"
#include "reports/html/diff_sections.hpp"

namespace stepscope::html {
namespace {

constexpr std::size_t kMostDiffGroups = 200;
constexpr std::size_t kMostReplaced = 40;
constexpr std::size_t kLongestOperation = 160;

Cells operation(const DeltaPart& part) {
  const std::string name = short_kernel_name(part.op);
  return code_cell(shortened(name, kLongestOperation),
                   part.op == name ? "" : shortened(part.op, 1000));
}

TableRow group_row(const DiffScale& scale, const DeltaGroup& group, std::int64_t largest) {
  const DeltaPart& part = group.largest();
  return row({{"data-table", "parts"}, {"data-ns", std::to_string(group.delta_ns)}},
             scale.difference(group.delta_ns) + scale.change(group.delta_ns) +
                 scale.bar(group.delta_ns, largest) + words_cell(cause_label(part.cause)) +
                 words_cell(place_of(part)) + words_cell(part.phase) + operation(part) +
                 words_cell(how_of(group, scale.c)) + exact_cell(group.delta_ns));
}

TableRows parts_foot(const DiffScale& scale, const ListedGroups& listed) {
  const auto foot = [&](const Attributes& attributes, std::int64_t ns, const std::string& what) {
    return row(attributes, scale.difference(ns) + scale.change(ns) + words_cell("") +
                               words_cell(what) + words_cell("") + words_cell("") + words_cell("") +
                               words_cell("") + exact_cell(ns));
  };
  TableRows out;
  if (listed.hidden > 0)
    out.push_back(foot({{"data-table", "parts"}, {"data-ns", std::to_string(listed.hidden_ns)}},
                       listed.hidden_ns, fmt::format("{} smaller parts", listed.hidden)));
  out.push_back(foot({{"class", "sum"}}, scale.c.delta_ns_total,
                     fmt::format("= the difference; left over: {} ns", scale.c.residual_ns)));
  return out;
}

Markup operations(double calls, const std::vector<std::string>& names) {
  const std::string what = names.size() == 1
                               ? shortened(short_kernel_name(names[0]), kLongestOperation)
                               : fmt::format("{} operations", names.size());
  return text(format_count(calls) + " × ") + element("code", text(what));
}

}  // namespace

Markup parts_of(const DiffScale& scale) {
  const ListedGroups listed = list_groups(scale.c.parts, kMostDiffGroups, 0);
  const std::int64_t largest = listed.shown.empty() ? 0 : listed.shown.front().delta_ns;
  TableRows rows;
  for (const DeltaGroup& group : listed.shown) rows.push_back(group_row(scale, group, largest));
  const std::vector<Column> columns = {{scale.title()},
                                       {"of A"},
                                       {"", ColumnKind::bar},
                                       {"cause", ColumnKind::words},
                                       {"where", ColumnKind::words},
                                       {"phase", ColumnKind::words},
                                       {"operation", ColumnKind::words},
                                       {"how", ColumnKind::words},
                                       {exact_title(scale.c.steps)}};
  return section("parts", "Every part of the difference",
                 table(columns, rows, parts_foot(scale, listed), {"parts-table", true}), true);
}

Markup replaced_of(const DiffScale& scale) {
  Markup items;
  for (std::size_t i = 0; i < std::min(kMostReplaced, scale.c.replaced.size()); ++i) {
    const Replacement& r = scale.c.replaced[i];
    const std::string delta = fmt::format(
        ": {} {}", format_difference(scale.c.per_step(r.delta_ns), scale.unit), scale.title());
    items += element("li", operations(r.a_calls_per_step, r.a_ops) + Markup(" → ") +
                               operations(r.b_calls_per_step, r.b_ops) + text(delta));
  }
  return items.empty() ? items
                       : section("replaced", "Work that was replaced", element("ul", items));
}

}  // namespace stepscope::html
