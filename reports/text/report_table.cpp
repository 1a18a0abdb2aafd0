// SPDX-License-Identifier: Apache-2.0
// A table of a report on one screen: as many rows as it has room for, names cut to what the columns
// leave of it, no exact totals.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/report/wording/numbers.hpp"
#include "reports/text/grid.hpp"
#include "reports/text/sections.hpp"
#include "reports/text/style.hpp"

namespace stepscope::text_sections {
namespace {

using report::Kind;
using report::Row;
using report::Shown;
using report::Table;

constexpr std::size_t kBar = 24;
constexpr std::size_t kPlaceColumns = 38;
constexpr std::size_t kFileColumns = 22;
constexpr std::size_t kRemarkedNameColumns = 36;
constexpr std::size_t kPhaseColumns = 14;
constexpr std::size_t kCauseColumns = 41;
constexpr std::size_t kWhereColumns = 30;
constexpr std::size_t kDifferenceColumns = 22;  // two numbers and what stands between columns
constexpr std::size_t kGaps = 6;                // between the columns of words

std::size_t name_columns(std::size_t columns) {
  return columns <= 5 ? 50 : columns == 6 ? 43 : kRemarkedNameColumns;
}

std::string named_place(const report::Place& at, std::string_view place,
                        std::string_view function) {
  const std::string text = function.empty()            ? std::string(place)
                           : at.kind == SiteKind::call ? fmt::format("{} ({})", place, function)
                                                       : fmt::format("in {} ({})", function, place);
  return one_line(text);
}

// The last folders and the name distinguish files; the folders, too, give way to the function where
// the name alone does.
std::string_view short_file(const report::Place& at, std::string_view direction) {
  std::string_view file = at.shown;
  while (columns_of(file) > kFileColumns && file.find('/') != std::string_view::npos)
    file.remove_prefix(file.find('/') + 1);
  const std::string whole = fmt::format("{}:{} ({}){}", file, at.line, at.function, direction);
  const std::string_view name = file.substr(file.rfind('/') + 1);  // npos + 1 is 0
  const bool is_long = columns_of(whole) + 3 > kPlaceColumns;      // "in ..." takes three more
  const bool name_tells = !name.starts_with("__") && at.name_tells;
  return name_tells && (is_long || file.starts_with('/')) ? name : file;
}

// A call: "train.py:120 (log)". A function's own line, the call being somewhere inside: "in log
// (train.py:118)". The function matters less than file and line: it is what is cut.
std::string place_text(const report::Place& at, const Style& style) {
  const std::string direction = direction_text(at.direction);
  if (style.whole_names)
    return named_place(at, fmt::format("{}:{}", at.shown, at.line), at.function) + direction;
  std::string place = style.cut_front(fmt::format("{}:{}", short_file(at, direction), at.line), 32);
  const std::size_t used = columns_of(place) + columns_of(direction) + 6;
  if (at.function.empty() || used + 2 > kPlaceColumns) return place + direction;
  return named_place(at, place, style.cut_end(at.function, kPlaceColumns - used)) + direction;
}

// "  eval (1 step in 10: 210 ms)"
std::string name_text(const report::Name& name, const Row& row, std::size_t columns,
                      const Style& style) {
  const std::string indent(std::size_t{2} * row.depth, ' ');
  if (name.remark.empty()) return indent + style.cut_end(name.text, columns);
  return fmt::format("{}{} ({})", indent, style.cut_end(name.text, kRemarkedNameColumns),
                     name.remark);
}

std::string where_text(const report::Name& at, const Style& style) {
  if (at.remark.empty()) return style.cut_end(at.text, kWhereColumns);
  const std::string phase = " in " + style.cut_end(at.remark, kWhereColumns / 2);
  return style.cut_end(at.text, kWhereColumns - columns_of(phase)) + phase;
}

// "gemm: 12 -> 6 calls". Where two names have no room, what the work has become.
std::string work_text(const report::Name& work, std::size_t columns, const Style& style) {
  const std::string& how = work.remark;
  const bool fits = style.whole_names || columns_of(how) + 4 <= columns;
  if (work.text.empty() || !fits) return style.cut_end(how, columns);
  const std::size_t left = columns - std::min(columns, columns_of(how) + 2);
  const auto arrow = work.text.find("-> ");
  const bool is_whole = style.whole_names || columns_of(work.text) <= left;
  const std::string name =
      is_whole || arrow == std::string::npos ? work.text : work.text.substr(arrow);
  return style.cut_end(name, left) + ": " + how;
}

Colour colour_of_words(Kind kind, Tone tone) {
  if (kind == Kind::verdict || (kind == Kind::value && tone != Tone::neutral))
    return tone == Tone::neutral ? Colour::dim : colour_of(tone);
  if (tone == Tone::bad) return Colour::red;
  const bool is_aside = kind == Kind::note || kind == Kind::phase || kind == Kind::aside;
  return is_aside ? Colour::dim : Colour::plain;
}

class Cells {
 public:
  Cells(const Table& table, const Shown& shown, const Style& style)
      : table_(table), names_(name_columns(shown.columns.size())), style_(style) {
    std::size_t where = 0, cause = 0;
    for (const Row* row : shown.rows) {
      for (std::size_t i = 0; i < row->cells.size(); ++i) {
        if (table.columns[i].kind == Kind::where)
          where =
              std::max(where, columns_of(where_text(std::get<report::Name>(row->cells[i]), style)));
        if (const auto* one = std::get_if<Cause>(&row->cells[i]))
          cause = std::max(cause, name_of(*one).size());
      }
    }
    work_ = kColumns - kDifferenceColumns - where - cause - kGaps;
  }

  TextCell cell(const Row& row, std::size_t column) const {
    const Kind kind = table_.columns[column].kind;
    const report::Cell& cell = row.cells[column];
    if (const auto* cause = std::get_if<Cause>(&cell))
      return {std::string(name_of(*cause)), colour_of(*cause)};
    if (const auto* at = std::get_if<report::Place>(&cell)) return {place_text(*at, style_)};
    if (const auto* name = std::get_if<report::Name>(&cell); name && kind == Kind::where)
      return {where_text(*name, style_)};
    if (const auto* name = std::get_if<report::Name>(&cell); name && kind == Kind::work)
      return {work_text(*name, work_, style_), Colour::dim};
    if (const auto* name = std::get_if<report::Name>(&cell))
      return {name_text(*name, row, names_, style_), row.depth > 0 ? Colour::dim : Colour::plain};
    if (const auto* words = std::get_if<report::Words>(&cell))
      return {words_text(kind, words->text), colour_of_words(kind, words->tone)};
    if (const auto* parts = std::get_if<report::CauseParts>(&cell)) return causes_cell(*parts);
    const double number = report::number_of(cell).value_or(0);
    return {report::number_text(table_, kind, cell),
            kind == Kind::difference ? colour_of_change(number) : Colour::plain};
  }

 private:
  std::string words_text(Kind kind, const std::string& words) const {
    if (kind == Kind::phase) return style_.cut_end(words, kPhaseColumns);
    return kind == Kind::name ? style_.cut_end(words, names_) : words;
  }

  TextCell causes_cell(const report::CauseParts& parts) const {
    constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    return {report::causes_text(parts, style_.whole_names ? kAll : kCauseColumns),
            colour_of(parts.front().cause)};
  }

  const Table& table_;
  std::size_t names_;
  std::size_t work_ = 0;  // columns that the others leave to Kind::work
  const Style& style_;
};

class Screen {
 public:
  Screen(const Table& table, const Room& room, const Style& style)
      : table_(table),
        room_(room),
        style_(style),
        shown_(report::rows_of_screen(table, room.rows)),
        cells_(table, shown_, style) {
    std::erase_if(shown_.columns, [&](std::size_t i) {
      return table.columns[i].kind == Kind::exact || table.columns[i].kind == Kind::detail;
    });
  }

  std::string text() const {
    if (shown_.rows.empty() && !table_.first) return "";
    Grid grid(aligns());
    grid.head(titles());
    if (room_.has_sum && table_.first) grid.row(painted(*table_.first, Colour::bold, Colour::bold));
    for (const Row* row : shown_.rows) grid.row(cells_of(*row));
    if (room_.has_rest && shown_.rest) grid.row(painted(*shown_.rest, Colour::dim, Colour::plain));
    if (room_.has_sum && table_.sum) grid.row(painted(*table_.sum, Colour::bold, Colour::bold));
    return grid.render(style_);
  }

 private:
  std::vector<Align> aligns() const {
    std::vector<Align> out;
    for (const std::size_t i : shown_.columns)
      out.push_back(report::is_number(table_.columns[i].kind) ? Align::right : Align::left);
    if (room_.has_bar) out.insert(out.begin() + 1, Align::left);
    return out;
  }

  std::vector<std::string> titles() const {
    std::vector<std::string> out;
    for (const std::size_t i : shown_.columns) {
      const report::Column& column = table_.columns[i];
      out.push_back(i == 0 ? table_.brief : column.kind == Kind::note ? "" : column.title);
    }
    if (room_.has_bar) out.insert(out.begin() + 1, std::string(kBar, ' '));
    return out;
  }

  std::vector<TextCell> cells_of(const Row& row) const {
    std::vector<TextCell> out;
    for (const std::size_t i : shown_.columns) out.push_back(cells_.cell(row, i));
    if (room_.has_bar) out.insert(out.begin() + 1, bar(row));
    return out;
  }

  TextCell bar(const Row& row) const {
    if (!row.cause) return {};
    const double share = report::bar_share(table_, row, report::Bars::of_whole);
    return {style_.bar(share, kBar), colour_of(*row.cause)};
  }

  std::vector<TextCell> painted(const Row& row, Colour name, Colour numbers) const {
    std::vector<TextCell> out = cells_of(row);
    for (TextCell& cell : out) cell.colour = numbers;
    out.front().colour = name;
    return out;
  }

  const Table& table_;
  Room room_;
  const Style& style_;
  Shown shown_;
  Cells cells_;
};

}  // namespace

std::string table_text(const Table& table, const Room& room, const Style& style) {
  if (table.rows.empty() && !table.first) return "";
  std::string out = Screen(table, room, style).text();
  for (const std::string& sentence : table.texts)
    out += wrapped("  ", sentence, style, Colour::dim);
  return out;
}

}  // namespace stepscope::text_sections
