// SPDX-License-Identifier: Apache-2.0
// A and B beside each other: causes, phases, lines, and how much work a step does.
#include <fmt/format.h>

#include "core/report/tables.hpp"
#include "reports/html/diff_sections.hpp"

namespace stepscope::html {
namespace {

std::string shown_count(const CountDelta& count, double value) {
  return count.counter.starts_with("bytes") ? format_bytes(value) : format_count(value);
}

}  // namespace

Markup sides_of(const DiffScale& scale) {
  Markup out;
  for (const report::Table& one : report::diff_tables(scale.c))
    out += section(one.id, one.title, plain_table(one, ""));
  return out;
}

Markup counts_of(const DiffScale& scale) {
  TableRows rows;
  for (const CountDelta& count : scale.c.counts) {
    std::string name = count.counter;
    std::replace(name.begin(), name.end(), '_', ' ');
    const bool is_same = count.a_per_step == count.b_per_step;
    rows.push_back(row({}, words_cell(name) +
                               number_cell(shown_count(count, count.a_per_step), count.a_per_step) +
                               number_cell(shown_count(count, count.b_per_step), count.b_per_step) +
                               words_cell(is_same ? "the same" : "")));
  }
  if (rows.empty()) return {};
  return section(
      "counts", "Work a step",
      table({{"count", ColumnKind::words}, {"A"}, {"B"}, {"", ColumnKind::words}}, rows, {}));
}

}  // namespace stepscope::html
