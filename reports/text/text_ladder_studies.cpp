// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/ladder.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/text/grid.hpp"
#include "reports/text/sections.hpp"

namespace stepscope {
namespace {

std::string headed(const char* title, const std::string& sentence, const std::string& facts,
                   const Style& style) {
  return text_sections::wrapped(style.paint(Colour::bold, title) + "  ", sentence, style,
                                Colour::bold) +
         text_sections::wrapped("  ", facts, style, Colour::dim);
}

std::string notes_part(const std::vector<std::string>& notes, const Style& style) {
  std::string out = "\nTo be known\n";
  for (const std::string& note : notes)
    out += text_sections::wrapped("  ", note, style, Colour::plain);
  return notes.empty() ? "" : out;
}

std::string factor(const RepeatedMean& gain) {
  return fmt::format("{:.3f}x", gain.value);
}

std::string shares_table(const RungOrders& orders, const Style& style) {
  Grid table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.head({"Rung", "share", "95 %", "alone", "behind all", "least to most"});
  for (const SharedGain& gain : orders.rungs)
    table.row({{gain.rung.id + " " + gain.rung.name},
               {factor(gain.share)},
               {format_spread(gain.share, style.unicode), Colour::dim},
               {factor(gain.alone)},
               {factor(gain.behind_all)},
               {fmt::format("{:.3f}x to {:.3f}x", gain.least, gain.most)}});
  table.row({{"= all of them"},
             {factor(orders.in_all), Colour::bold},
             {format_spread(orders.in_all, style.unicode), Colour::dim},
             {},
             {},
             {}});
  return table.render(style);
}

std::string subsets_table(const RungOrders& orders, const Style& style) {
  Grid table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.head({"Every subset", "tokens/s", "95 %", "over the base", "loss off"});
  for (const LadderRung& subset : orders.subsets.rungs) {
    const bool ran = subset.effect != Effect::failed;
    table.row({{subset.rung.id},
               {ran ? format_count(subset.tokens_per_s.value) : "failed"},
               {format_spread(subset.tokens_per_s, style.unicode), Colour::dim},
               {subset.in_all ? factor(*subset.in_all) : ""},
               {subset.loss ? format_parity(*subset.loss) : ""}});
  }
  return table.render(style);
}

// A column a rung, from the first micro-batch's rungs: all have the same.
std::string sweep_table(const LadderSweep& sweep, const Style& style) {
  std::vector<Align> columns = {Align::right, Align::right};
  std::vector<std::string> titles = {"micro-batch", "tokens a step"};
  for (const LadderRung& rung : sweep.points.front().ladder.rungs) {
    columns.push_back(Align::right);
    titles.push_back(rung.rung.id + " tokens/s");
  }
  columns.insert(columns.end(), {Align::right, Align::right, Align::right, Align::left});
  titles.insert(titles.end(), {sweep_ratio_title(sweep), "95 %", "loss off", "effect"});
  Grid table(columns);
  table.head(titles);
  for (const SweepPoint& point : sweep.points) {
    std::vector<TextCell> cells = {{format_exact(point.micro_batch)},
                                   {format_exact(point.ladder.tokens_a_step)}};
    for (const LadderRung& rung : point.ladder.rungs)
      cells.push_back(
          {rung.effect == Effect::failed ? "failed" : format_count(rung.tokens_per_s.value)});
    const LadderRung& last = point.ladder.rungs.back();
    cells.push_back({last.in_all ? factor(*last.in_all) : ""});
    cells.push_back({last.in_all ? format_spread(*last.in_all, style.unicode) : "", Colour::dim});
    cells.push_back({last.loss ? format_parity(*last.loss) : ""});
    cells.push_back({std::string(name_of(point.effect))});
    table.row(std::move(cells));
  }
  return table.render(style);
}

}  // namespace

std::string text_orders(const RungOrders& orders, const Style& style) {
  std::string out =
      headed("ORDERS", orders_sentence(orders), ladder_facts(orders.subsets), style) + "\n";
  if (!orders.rungs.empty()) out += shares_table(orders, style) + "\n";
  return out + subsets_table(orders, style) + notes_part(orders.subsets.notes, style);
}

std::string text_sweep(const LadderSweep& sweep, const Style& style) {
  if (sweep.points.empty()) return "";
  return headed("SWEEP", sweep_sentence(sweep), sweep_facts(sweep), style) + "\n" +
         sweep_table(sweep, style) + notes_part(sweep.notes, style);
}

}  // namespace stepscope
