// SPDX-License-Identifier: Apache-2.0
#include "reports/html/html_pages.hpp"

#include <fmt/format.h>

#include "core/report/wording/ladder.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/html/cells.hpp"
#include "reports/svg/charts.hpp"

namespace stepscope::html {
namespace {

Markup study_head(const std::string& title, const std::string& sentence, const std::string& facts) {
  return element("header", {{"class", "wide"}},
                 element("h1", text(title)) +
                     element("p", {{"class", "headline"}}, text(sentence)) +
                     element("p", {{"class", "facts"}}, text(facts)));
}

Markup study_notes(const std::vector<std::string>& notes) {
  Markup items;
  for (const std::string& sentence : notes) items += element("li", text(sentence));
  return items.empty() ? Markup() : section("notes", "To be known", element("ul", items));
}

Cells rate_cell(const LadderRung& rung) {
  const bool ran = rung.effect != Effect::failed;
  return number_cell(ran ? format_count(rung.tokens_per_s.value) : "failed",
                     rung.tokens_per_s.value);
}

Markup shares(const RungOrders& orders) {
  TableRows rows;
  for (const SharedGain& gain : orders.rungs)
    rows.push_back(
        row({}, words_cell(gain.rung.id + " " + gain.rung.name) + words_cell(gain.rung.summary) +
                    words_cell(format_ratio(gain.share)) + words_cell(format_ratio(gain.alone)) +
                    words_cell(format_ratio(gain.behind_all)) +
                    words_cell(fmt::format("{:.3f}x to {:.3f}x", gain.least, gain.most))));
  const TableRow foot = sum_row(words_cell("= all of them") + words_cell("") +
                                words_cell(format_ratio(orders.in_all)) + words_cell("") +
                                words_cell("") + words_cell(""));
  return section("shares", "What each brings, over all orders",
                 table({{"Rung", ColumnKind::words},
                        {"What it switches on", ColumnKind::words},
                        {"Share of the gain", ColumnKind::words},
                        {"Alone", ColumnKind::words},
                        {"Behind all others", ColumnKind::words},
                        {"Least to most", ColumnKind::words}},
                       rows, {foot}));
}

Markup subsets(const RungOrders& orders) {
  TableRows rows;
  for (const LadderRung& subset : orders.subsets.rungs)
    rows.push_back(row({}, words_cell(subset.rung.id) + rate_cell(subset) +
                               words_cell(format_rate_range(subset.tokens_per_s)) +
                               words_cell(format_ratio(subset.in_all)) +
                               words_cell(subset.loss ? format_parity(*subset.loss) : "")));
  return section("subsets", "Every subset",
                 table({{"Rungs", ColumnKind::words},
                        {"tokens/s"},
                        {"95 %", ColumnKind::words},
                        {"Over the base", ColumnKind::words},
                        {"Loss differs", ColumnKind::words}},
                       rows, {}, {"subsets-table", true}));
}

Markup sweep_points(const LadderSweep& sweep) {
  std::vector<Column> columns = {{"Micro-batch"}, {"Tokens a step"}};
  for (const LadderRung& rung : sweep.points.front().ladder.rungs)
    columns.push_back({rung.rung.id + " tokens/s"});
  for (const std::string& title :
       {sweep_ratio_title(sweep), std::string("Loss differs"), std::string("Effect")})
    columns.push_back({title, ColumnKind::words});
  TableRows rows;
  for (const SweepPoint& point : sweep.points) {
    Cells cells =
        number_cell(format_exact(point.micro_batch), static_cast<double>(point.micro_batch)) +
        number_cell(format_exact(point.ladder.tokens_a_step),
                    static_cast<double>(point.ladder.tokens_a_step));
    for (const LadderRung& rung : point.ladder.rungs) cells += rate_cell(rung);
    const LadderRung& last = point.ladder.rungs.back();
    cells += words_cell(format_ratio(last.in_all)) +
             words_cell(last.loss ? format_parity(*last.loss) : "") +
             words_cell(name_of(point.effect));
    rows.push_back(row({}, cells));
  }
  return section("points", "Micro-batches", table(columns, rows, {}));
}

}  // namespace
}  // namespace stepscope::html

namespace stepscope {

std::string html_orders(const RungOrders& orders) {
  using namespace html;
  Markup content = study_head("What the rungs bring, whatever their order", orders_sentence(orders),
                              ladder_facts(orders.subsets));
  if (!orders.rungs.empty())
    content += section("chart", "A rung's gain", orders_chart(orders)) + shares(orders);
  content += subsets(orders) + study_notes(orders.subsets.notes);
  return html::page("stepscope ladder", element("main", content));
}

std::string html_sweep(const LadderSweep& sweep) {
  using namespace html;
  if (sweep.points.empty()) return html::page("stepscope ladder", element("main", Markup()));
  const Markup content =
      study_head("Rungs by micro-batch", sweep_sentence(sweep), sweep_facts(sweep)) +
      section("chart", "Tokens a second by micro-batch", sweep_chart(sweep)) + sweep_points(sweep) +
      study_notes(sweep.notes);
  return html::page("stepscope ladder", element("main", content));
}

}  // namespace stepscope
