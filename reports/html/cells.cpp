// SPDX-License-Identifier: Apache-2.0
#include "reports/html/cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/wording/numbers.hpp"

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

Markup words_cell(const Markup& content) {
  return element("td", {{"class", "w"}}, content);
}

Markup words_cell(std::string_view content) {
  return words_cell(text(content));
}

Markup number_cell(std::string_view shown, double value) {
  return element("td", {{"class", "n"}, {"data-v", fmt::format("{}", value)}}, text(shown));
}

Markup exact_cell(std::int64_t ns) {
  return element("td", {{"class", "n x"}, {"data-v", std::to_string(ns)}}, text(format_exact(ns)));
}

Markup bar_cell(double share, std::string_view css_class) {
  const double percent = 100 * std::clamp(share, 0.0, 1.0);
  const Markup bar = element(
      "i", {{"class", std::string(css_class)}, {"style", fmt::format("width:{:.2f}%", percent)}},
      {});
  return element("td", {{"class", "b"}}, bar);
}

Markup bar_cell(double share, CauseFamily family) {
  return bar_cell(share, fmt::format("f-{}", name_of(family)));
}

Markup cause_label(Cause cause) {
  const std::string swatch = fmt::format("swatch f-{}", name_of(family_of(cause)));
  return element("span", {{"class", "label"}},
                 element("i", {{"class", swatch}}, {}) + text(name_of(cause)));
}

Markup row(Attributes attributes, const Markup& cells) {
  return element("tr", attributes, cells) + Markup("\n");
}

Markup sum_row(const Markup& cells) {
  return row({{"class", "sum"}}, cells);
}

Markup table(const std::vector<Column>& columns, const Markup& rows, const Markup& foot,
             const TableOptions& options) {
  Markup titles;
  for (const Column& column : columns) titles += title_cell(column, options.sortable);
  Markup content = element("thead", row({}, titles)) + element("tbody", rows);
  if (!foot.empty()) content += element("tfoot", foot);
  const std::string css = options.sortable ? "sortable" : "";
  return element("div", {{"class", "scroll"}, {"tabindex", "0"}},
                 element("table", {{"id", options.id}, {"class", css}}, content)) +
         Markup("\n");
}

Markup section(std::string_view id, std::string_view title, const Markup& content, bool wide) {
  const std::string css = wide ? "wide" : "";
  return element("section", {{"id", std::string(id)}, {"class", css}},
                 element("h2", text(title)) + Markup("\n") + content) +
         Markup("\n");
}

Markup note(Tone tone, std::string_view sentence) {
  return element("p", {{"class", fmt::format("note {}", class_of(tone))}}, text(sentence)) +
         Markup("\n");
}

}  // namespace stepscope::html
