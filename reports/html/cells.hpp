// SPDX-License-Identifier: Apache-2.0
// Cells, rows and bars of a page's tables. Internal to reports/html.
//
// A number's cell carries what it was made of: data-v for the script that sorts, data-ns where
// sums must be exact.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/attribution/cause.hpp"
#include "reports/markup/markup.hpp"
#include "reports/wording/cause_family.hpp"
#include "reports/wording/verdict.hpp"

namespace stepscope::html {

enum class ColumnKind : std::uint8_t { words, number, bar };

struct Column {
  std::string title;
  ColumnKind kind = ColumnKind::number;
};

Markup words_cell(const Markup& content);
Markup words_cell(std::string_view content);
Markup number_cell(std::string_view shown, double value);
Markup exact_cell(std::int64_t ns);  // every digit of it

// A bar of `share` of its cell, in the family's colour and pattern.
Markup bar_cell(double share, CauseFamily family);
Markup bar_cell(double share, std::string_view css_class);
Markup cause_label(Cause cause);  // a swatch of its family, and its id

Markup row(Attributes attributes, const Markup& cells);
Markup sum_row(const Markup& cells);

// A table that may scroll sideways on its own. A sortable one lets the reader order its rows.
struct TableOptions {
  std::string id;
  bool sortable = false;
};
Markup table(const std::vector<Column>& columns, const Markup& rows, const Markup& foot,
             const TableOptions& options = {});

// A section of the page; `wide`: as wide as the page, however wide that is.
Markup section(std::string_view id, std::string_view title, const Markup& content,
               bool wide = false);
Markup note(Tone tone, std::string_view sentence);

}  // namespace stepscope::html
