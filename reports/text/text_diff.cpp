// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/compare/delta_groups.hpp"
#include "core/report/tables.hpp"
#include "core/report/wording/diff_words.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/text/grid.hpp"
#include "reports/text/sections.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kMostGroups = 12;
constexpr std::size_t kMostRows = 7;
constexpr std::size_t kMostReplaced = 3;
constexpr std::size_t kNumberColumns = 22;  // both numbers and what stands around them
constexpr std::size_t kPlaceColumns = 30;
constexpr std::size_t kNameColumnsOfReplaced = 44;
constexpr double kLeastChangeShown = 0.0005;  // share of A's step
constexpr double kCountsDiffer = 0.005;

struct DiffPage {
  const Comparison& c;
  const Style& style;
  TimeUnit unit;
  double a_ns = 0;  // A's step

  std::string time(std::int64_t total) const { return format_time(c.per_step(total), unit); }
  std::string difference(std::int64_t total) const {
    return format_difference(c.per_step(total), unit);
  }
  std::string change(std::int64_t total) const { return format_change(c.per_step(total) / a_ns); }
  std::string title() const { return std::string(unit.name) + "/step"; }
  bool matters(std::int64_t total) const {
    return std::abs(c.per_step(total)) >= kLeastChangeShown * a_ns;
  }
};

std::string range_of(const DiffPage& page, const DeltaRange& range) {
  if (!range) return "";
  return fmt::format("{} to {}", format_difference(range->first, page.unit),
                     format_difference(range->second, page.unit));
}

std::string diff_head(const DiffPage& page) {
  const Comparison& c = page.c;
  std::string out = page.style.paint(Colour::bold, diff_sentence(c)) + "\n";
  if (c.range_ns_per_step)
    out += fmt::format("over all pairs of runs: {} {}\n", range_of(page, c.range_ns_per_step),
                       page.title());
  out += text_sections::wrapped("A  ", side_sentence(c.a), page.style, Colour::plain);
  out += text_sections::wrapped("B  ", side_sentence(c.b), page.style, Colour::plain);
  for (const std::string& why : c.why_not)
    out += text_sections::wrapped("!  ", why, page.style, Colour::red);
  for (const std::string& warning : c.warnings)
    out += text_sections::wrapped("!  ", warning, page.style, Colour::yellow);
  return out;
}

// Returns the operation; where two names have no room, what the work has become.
std::string operation_text(const DiffPage& page, const std::string& op, std::size_t room) {
  const std::string name = short_kernel_name(op);
  const auto arrow = name.find("-> ");
  const bool fits = page.style.whole_names || columns_of(name) <= room;
  return fits || arrow == std::string::npos ? name : name.substr(arrow);
}

// "gemm: 12 -> 6 calls": idle time has no operation of its own.
std::string what_and_how(const DiffPage& page, const DeltaGroup& group, std::size_t width) {
  const std::string how = how_of(group, page.c);
  const DeltaPart& part = group.largest();
  if (part.op.empty() || part.kind == DeltaKind::idle) return page.style.cut_end(how, width);
  const bool fits = page.style.whole_names || columns_of(how) + 4 <= width;
  if (!fits) return page.style.cut_end(how, width);
  const std::size_t left = width - columns_of(how) - 2;
  return page.style.cut_end(operation_text(page, part.op, left), left) + ": " + how;
}

// Returns where a part stands; where the same line and cause stand twice, with the phase.
std::string where_text(const DiffPage& page, const ListedGroups& listed, const DeltaGroup& group) {
  const DeltaPart& part = group.largest();
  const std::string place = place_of(part);
  if (place.empty()) return page.style.cut_end(part.phase, kPlaceColumns);
  const bool again =
      std::any_of(listed.shown.begin(), listed.shown.end(), [&](const DeltaGroup& other) {
        return other.largest().phase != part.phase && other.largest().cause == part.cause &&
               place_of(other.largest()) == place;
      });
  if (!again) return page.style.cut_end(place, kPlaceColumns);
  const std::string phase = " in " + page.style.cut_end(part.phase, kPlaceColumns / 2);
  return page.style.cut_end(place, kPlaceColumns - columns_of(phase)) + phase;
}

std::vector<TextCell> group_cells(const DiffPage& page, const ListedGroups& listed,
                                  const DeltaGroup& group, std::size_t width) {
  const DeltaPart& part = group.largest();
  return {{page.difference(group.delta_ns), colour_of_change(static_cast<double>(group.delta_ns))},
          {page.change(group.delta_ns)},
          {std::string(name_of(part.cause)), colour_of(part.cause)},
          {where_text(page, listed, group)},
          {what_and_how(page, group, width), Colour::dim}};
}

// Returns the columns that the others leave: causes are 8 to 24 columns wide.
std::size_t columns_left(const ListedGroups& listed) {
  std::size_t cause = 10;
  for (const DeltaGroup& group : listed.shown)
    cause = std::max(cause, name_of(group.largest().cause).size());
  return text_sections::kColumns - kNumberColumns - kPlaceColumns - cause - 6;
}

std::string parts_table(const DiffPage& page) {
  const ListedGroups listed = list_groups(page.c.parts, kMostGroups);
  const std::size_t width = columns_left(listed);
  Grid table({Align::right, Align::right, Align::left, Align::left, Align::left});
  table.head({page.title(), "of A", "cause", "where", "how"});
  table.row({{page.time(page.c.a.wall_ns_total), Colour::bold}, {}, {"A's step", Colour::bold}});
  for (const DeltaGroup& group : listed.shown) table.row(group_cells(page, listed, group, width));
  if (listed.hidden > 0)
    table.row({{page.difference(listed.hidden_ns)},
               {page.change(listed.hidden_ns)},
               {fmt::format("{} smaller", listed.hidden), Colour::dim}});
  table.row({{page.time(page.c.b.wall_ns_total), Colour::bold},
             {page.change(page.c.delta_ns_total)},
             {"= B's step", Colour::bold},
             {},
             {fmt::format("left over: {} ns", page.c.residual_ns), Colour::dim}});
  return table.render(page.style);
}

std::string sides_tables(const DiffPage& page) {
  std::string out;
  for (const report::Table& table : report::diff_tables(page.c)) {
    const std::string text = text_sections::table_text(table, {.rows = kMostRows}, page.style);
    out += (out.empty() || text.empty() ? "" : "\n") + text;
  }
  return out;
}

std::string operations_text(const DiffPage& page, double calls,
                            const std::vector<std::string>& ops) {
  const std::string what =
      ops.size() == 1 ? page.style.cut_end(short_kernel_name(ops[0]), kNameColumnsOfReplaced)
                      : fmt::format("{} operations", ops.size());
  return fmt::format("{} x {}", format_count(calls), what);
}

std::string replaced_list(const DiffPage& page) {
  std::string out;
  std::size_t shown = 0;
  for (const Replacement& r : page.c.replaced) {
    if (shown++ >= kMostReplaced || !page.matters(r.delta_ns)) break;
    const std::string text =
        fmt::format("{} -> {}: {} {}", operations_text(page, r.a_calls_per_step, r.a_ops),
                    operations_text(page, r.b_calls_per_step, r.b_ops), page.difference(r.delta_ns),
                    page.title());
    out += text_sections::wrapped(out.empty() ? "Replaced  " : "          ", text, page.style,
                                  Colour::plain);
  }
  return out;
}

bool count_differs(const CountDelta& row) {
  const double larger = std::max(row.a_per_step, row.b_per_step);
  return std::abs(row.b_per_step - row.a_per_step) > kCountsDiffer * larger;
}

std::string count_text(const CountDelta& row, double value) {
  return row.counter.starts_with("bytes") ? format_bytes(value) : format_count(value);
}

std::string counts_list(const DiffPage& page) {
  std::string text;
  for (const CountDelta& row : page.c.counts) {
    if (!count_differs(row)) continue;
    std::string name = row.counter;
    std::replace(name.begin(), name.end(), '_', ' ');
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", name,
                        count_text(row, row.a_per_step), count_text(row, row.b_per_step));
  }
  if (page.c.counts.empty()) return "";
  if (text.empty()) text = "the same counts on both sides";
  return text_sections::wrapped("Work a step  ", text, page.style, Colour::plain);
}

}  // namespace

std::string text_diff(const Comparison& c, const Style& style) {
  const double a_ns = c.per_step(c.a.wall_ns_total);
  const DiffPage page{c, style, unit_for_step(a_ns), a_ns};
  if (!c.shown()) {
    std::string out = style.paint(Colour::red, "NOT COMPARABLE") + "\n";
    for (const std::string& why : c.why_not)
      out += text_sections::wrapped("  ", why, style, Colour::plain);
    out += text_sections::wrapped("A  ", side_sentence(c.a), style, Colour::plain);
    return out + text_sections::wrapped("B  ", side_sentence(c.b), style, Colour::plain);
  }
  std::string out;
  for (const auto section : {diff_head, parts_table, sides_tables, replaced_list, counts_list}) {
    const std::string text = section(page);
    if (!out.empty() && !text.empty()) out += "\n";
    out += text;
  }
  return out;
}

}  // namespace stepscope
