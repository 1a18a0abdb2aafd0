// SPDX-License-Identifier: Apache-2.0
#include "reports/html/html_pages.hpp"

#include <fmt/format.h>

#include "core/report/wording/ladder.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/html/cells.hpp"
#include "reports/svg/charts.hpp"

namespace stepscope::html {
namespace {

Markup ladder_head(const Ladder& ladder) {
  Markup out = element("h1", text("The ladder of " + ladder.model)) +
               element("p", {{"class", "headline"}}, text(ladder_sentence(ladder))) +
               element("p", {{"class", "facts"}}, text(ladder_facts(ladder)));
  for (const LadderRung& rung : ladder.rungs)
    if (!rung.failure.empty()) out += note(Tone::caution, rung.rung.id + ": " + rung.failure);
  return element("header", {{"class", "wide"}}, out);
}

Markup ladder_rungs(const Ladder& ladder) {
  TableRows rows;
  for (const LadderRung& rung : ladder.rungs) {
    const double rate = rung.tokens_per_s.value;
    Cells cells = words_cell(rung.rung.id + " " + rung.rung.name) + words_cell(rung.rung.summary);
    cells += number_cell(rate > 0 ? format_count(rate) : "", rate);
    cells += words_cell(format_rate_range(rung.tokens_per_s));
    cells += words_cell(format_ratio(rung.gain));
    cells += number_cell(rung.in_all ? fmt::format("{:.2f}x", rung.in_all->value) : "",
                         rung.in_all ? rung.in_all->value : 0);
    cells += number_cell(rung.mfu > 0 ? format_share(rung.mfu) : "", rung.mfu);
    const auto bytes = static_cast<double>(rung.peak_bytes);
    cells += number_cell(bytes > 0 ? format_bytes(bytes) : "", bytes);
    cells += words_cell(rung.loss ? format_parity(*rung.loss) : "");
    cells += words_cell(name_of(rung.effect));
    rows.push_back(row({}, cells));
  }
  return section("rungs", "Rungs",
                 table({{"Rung", ColumnKind::words},
                        {"What it switches on", ColumnKind::words},
                        {"tokens/s"},
                        {"95 %", ColumnKind::words},
                        {"Over the rung below", ColumnKind::words},
                        {"Over the first"},
                        {"MFU"},
                        {"Memory"},
                        {"Loss differs", ColumnKind::words},
                        {"Effect", ColumnKind::words}},
                       rows, {}));
}

Markup ladder_changes(const Ladder& ladder) {
  TableRows rows;
  for (const LadderRung& rung : ladder.rungs) {
    if (!rung.step) continue;
    for (const StepPart& part : rung.step->changes)
      rows.push_back(row({}, words_cell(rung.rung.id + " " + rung.rung.name) +
                                 words_cell(cause_label(part.cause)) + exact_cell(part.ns)));
  }
  if (rows.empty()) return {};
  return section("changes", "What each rung changed in the profiled step, ns",
                 table({{"Rung", ColumnKind::words}, {"Cause", ColumnKind::words}, {"Change"}},
                       rows, {}, {"changes-table", true}));
}

Markup ladder_notes(const Ladder& ladder) {
  Markup items;
  for (const std::string& sentence : ladder.notes) items += element("li", text(sentence));
  return items.empty() ? Markup() : section("notes", "To be known", element("ul", items));
}

}  // namespace
}  // namespace stepscope::html

namespace stepscope {

std::string html_ladder(const Ladder& ladder) {
  using namespace html;
  const Markup content = ladder_head(ladder) +
                         section("chart", "Tokens a second, and the step", ladder_chart(ladder)) +
                         ladder_rungs(ladder) + ladder_changes(ladder) + ladder_notes(ladder);
  return html::page("stepscope ladder", element("main", content));
}

}  // namespace stepscope
