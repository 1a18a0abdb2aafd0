// SPDX-License-Identifier: Apache-2.0
// The sections of the text report, in the order in which they stand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/attribution/cause.hpp"
#include "core/report/report.hpp"
#include "core/report/wording/verdict.hpp"
#include "reports/text/style.hpp"

namespace stepscope::text_sections {

inline constexpr std::size_t kColumns = 100;

// What every section needs to know.
struct Page {
  const report::Report& report;
  const Style& style;
};

// Each returns whole lines, or nothing where it has nothing to say.
std::string broken(const Page& page);  // before any number
std::string headline(const Page& page);
std::string verdict(const Page& page);
std::string findings(const Page& page);
std::string health(const Page& page);
std::string long_steps(const Page& page);
std::string steps(const Page& page);
std::string trust(const Page& page);

// What one screen gives to a table.
struct Room {
  std::size_t rows = 5;
  bool has_rest = true;  // a row that sums what is left out
  bool has_sum = false;
  bool has_bar = false;
};
std::string table_text(const report::Table& table, const Room& room, const Style& style);

// Text broken into lines of at most kColumns, continued under its own beginning.
std::string wrapped(std::string_view first, std::string_view text, const Style& style,
                    Colour colour);
// The same of facts in a row, which may be painted: broken between two of them.
std::string wrapped_facts(std::string_view first, const std::vector<std::string>& facts,
                          const Style& style, Colour colour);

}  // namespace stepscope::text_sections

namespace stepscope {

// The terminal's colour of a cause: one a family, so that a column of causes reads at a glance.

Colour colour_of(Cause cause);
Colour colour_of(Tone tone);
Colour colour_of_change(double difference);  // less is green
Colour colour_of_note(Tone tone);            // plain where it is neutral

}  // namespace stepscope
