// SPDX-License-Identifier: Apache-2.0
#include "reports/html/cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/numbers.hpp"

namespace stepscope::html {
namespace {

std::string_view class_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::words:
      return "w";
    case ColumnKind::number:
      return "n";
    case ColumnKind::bar:
      break;
  }
  return "b";
}

Markup title_cell(const Column& column, bool sortable) {
  const std::string css(class_of(column.kind));
  const bool has_button = sortable && column.kind != ColumnKind::bar && !column.title.empty();
  const Markup title = text(column.title);
  return element("th", {{"class", css}, {"scope", "col"}},
                 has_button ? element("button", {{"type", "button"}}, title) : title);
}

// The first column names its row.
std::vector<bool> shown_columns(std::size_t count, const TableRows& rows) {
  std::vector<bool> shown(count, rows.empty());
  if (count > 0) shown[0] = true;
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < count; ++i) shown[i] = shown[i] || row.cells.says(i);
  }
  return shown;
}

Markup markup_of(const TableRows& rows, const std::vector<bool>& shown) {
  Markup out;
  for (const TableRow& row : rows)
    out += element("tr", row.attributes, row.cells.in(shown)) + Markup("\n");
  return out;
}

std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::caution:
      return "caution";
    case Tone::neutral:
      break;
  }
  return "neutral";
}

}  // namespace

Cells& Cells::operator+=(const Cells& others) {
  cells_.insert(cells_.end(), others.cells_.begin(), others.cells_.end());
  return *this;
}

Markup Cells::in(const std::vector<bool>& columns) const {
  Markup out;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (columns[i]) out += cells_[i].markup;
  }
  return out;
}

Cells words_cell(const Markup& content) {
  return {element("td", {{"class", "w"}}, content), !content.empty()};
}

Cells words_cell(std::string_view content) {
  return words_cell(prose(content));
}

Cells code_cell(std::string_view shown, std::string_view title) {
  return {element("td", {{"class", "w name"}},
                  element("code", {{"title", std::string(title)}}, text(shown))),
          !shown.empty()};
}

Cells number_cell(std::string_view shown, double value) {
  return {element("td", {{"class", "n"}, {"data-v", fmt::format("{}", value)}}, text(shown)),
          !shown.empty()};
}

Cells exact_cell(std::int64_t ns) {
  return {element("td", {{"class", "n x"}, {"data-v", std::to_string(ns)}}, text(format_exact(ns))),
          true};
}

Cells bar_cell(double share, std::string_view css_class) {
  const double percent = 100 * std::clamp(share, 0.0, 1.0);
  const Markup bar = element(
      "i", {{"class", std::string(css_class)}, {"style", fmt::format("width:{:.2f}%", percent)}},
      {});
  return {element("td", {{"class", "b"}}, bar), share > 0};
}

Cells bar_cell(double share, CauseFamily family) {
  return bar_cell(share, fmt::format("f-{}", name_of(family)));
}

Markup cause_label(Cause cause) {
  const std::string swatch = fmt::format("swatch f-{}", name_of(family_of(cause)));
  return element("span", {{"class", "label"}},
                 element("i", {{"class", swatch}}, {}) + text(name_of(cause)));
}

TableRow row(Attributes attributes, Cells cells) {
  return {std::move(attributes), std::move(cells)};
}

TableRow sum_row(Cells cells) {
  return row({{"class", "sum"}}, std::move(cells));
}

Markup table(const std::vector<Column>& columns, const TableRows& rows, const TableRows& foot,
             const TableOptions& options) {
  const std::vector<bool> shown = shown_columns(columns.size(), rows);
  Markup titles;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (shown[i]) titles += title_cell(columns[i], options.sortable);
  }
  Markup content = element("thead", element("tr", titles) + Markup("\n")) +
                   element("tbody", markup_of(rows, shown));
  if (!foot.empty()) content += element("tfoot", markup_of(foot, shown));
  const std::string css = options.sortable ? "sortable" : "";
  return element("div", {{"class", "scroll"}, {"tabindex", "0"}},
                 element("table", {{"id", options.id}, {"class", css}}, content)) +
         Markup("\n");
}

Markup prose(std::string_view sentence) {
  std::string words = unbroken(sentence);
  for (std::size_t at = 0; (at = words.find("->", at)) != std::string::npos;)
    words.replace(at, 2, "\u2192");
  return text(words);
}

Markup section(std::string_view id, std::string_view title, const Markup& content, bool wide) {
  const std::string css = wide ? "wide" : "";
  return element("section", {{"id", std::string(id)}, {"class", css}},
                 element("h2", text(title)) + Markup("\n") + content) +
         Markup("\n");
}

Markup note(Tone tone, std::string_view sentence) {
  return element("p", {{"class", fmt::format("note {}", class_of(tone))}}, prose(sentence)) +
         Markup("\n");
}

Markup paragraph_of(const report::Note& one) {
  if (one.tone != Tone::neutral) return note(one.tone, one.text);
  if (one.items.empty()) return element("p", prose(one.text));
  Markup items;
  for (const Abstention& item : one.items)
    items += element("li", element("code", text(item.id)) + Markup(": ") + text(item.reason));
  return element("p", prose(one.text + ":")) + element("ul", items);
}

}  // namespace stepscope::html
