// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/report/wording/ladder.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/text/grid.hpp"
#include "reports/text/sections.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kBarColumns = 10, kShownChanges = 4;

Colour colour_of_effect(Effect effect) {
  switch (effect) {
    case Effect::faster:
      return Colour::green;
    case Effect::slower:
    case Effect::failed:
      return Colour::red;
    case Effect::undecided:
      return Colour::yellow;
    case Effect::first:
    case Effect::none:
      break;
  }
  return Colour::dim;
}

// Columns that no rung has anything for are left out.
struct Shown {
  bool mfu = false, memory = false;
};

Shown shown_in(const Ladder& ladder) {
  Shown out;
  for (const LadderRung& rung : ladder.rungs) {
    out.mfu = out.mfu || rung.mfu > 0;
    out.memory = out.memory || rung.peak_bytes > 0;
  }
  return out;
}

std::vector<TextCell> rung_cells(const LadderRung& rung, double fastest, const Shown& shown,
                                 const Style& style) {
  const bool ran = rung.effect != Effect::failed;
  const double rate = rung.tokens_per_s.value;
  std::vector<TextCell> cells = {
      {rung.rung.id + " " + rung.rung.name},
      {ran ? format_count(rate) : ""},
      {ran ? style.bar(rate / fastest, kBarColumns) : "", Colour::blue},
      {ran ? format_spread(rung.tokens_per_s, style.unicode) : "", Colour::dim},
      {rung.gain ? fmt::format("{:.3f}x", rung.gain->value) : ""},
      {rung.gain ? format_spread(*rung.gain, style.unicode) : "", Colour::dim}};
  if (shown.mfu) cells.push_back({rung.mfu > 0 ? format_share(rung.mfu) : ""});
  if (shown.memory)
    cells.push_back(
        {rung.peak_bytes > 0 ? format_bytes(static_cast<double>(rung.peak_bytes)) : ""});
  cells.push_back({rung.loss ? format_parity(*rung.loss) : "",
                   rung.loss && !rung.loss->within ? Colour::red : Colour::plain});
  cells.push_back({std::string(name_of(rung.effect)), colour_of_effect(rung.effect)});
  return cells;
}

std::string rungs_table(const Ladder& ladder, const Style& style) {
  const Shown shown = shown_in(ladder);
  double fastest = 1e-9;
  for (const LadderRung& rung : ladder.rungs) fastest = std::max(fastest, rung.tokens_per_s.value);
  std::vector<Align> columns = {Align::left,  Align::right, Align::left,
                                Align::right, Align::right, Align::right};
  std::vector<std::string> titles = {"Rung", "tokens/s", "", "95 %", "over below", "95 %"};
  for (const auto& [there, title] : {std::pair{shown.mfu, "MFU"}, {shown.memory, "memory"}}) {
    if (!there) continue;
    columns.push_back(Align::right);
    titles.emplace_back(title);
  }
  columns.insert(columns.end(), {Align::right, Align::left});
  titles.insert(titles.end(), {"loss off", "effect"});
  Grid table(columns);
  table.head(titles);
  for (const LadderRung& rung : ladder.rungs) table.row(rung_cells(rung, fastest, shown, style));
  return table.render(style);
}

std::string changes_part(const Ladder& ladder, const Style& style) {
  std::string out;
  for (const LadderRung& rung : ladder.rungs) {
    if (!rung.step) continue;
    const TimeUnit unit = unit_for_step(static_cast<double>(rung.step->wall_ns));
    const std::string first =
        fmt::format("  {:<4}{:>9} {}  ", rung.rung.id,
                    format_time(static_cast<double>(rung.step->wall_ns), unit), unit.name);
    out += text_sections::wrapped(first,
                                  rung.step->changes.empty()
                                      ? fmt::format("{} steps profiled", rung.step->steps_counted)
                                      : changes_sentence(*rung.step, kShownChanges),
                                  style, Colour::plain);
  }
  if (out.empty()) return "";
  return "\n" +
         style.paint(Colour::bold,
                     "The profiled step, and what each rung changed in it (sums exactly)") +
         "\n" + out;
}

}  // namespace

std::string text_ladder(const Ladder& ladder, const Style& style) {
  std::string out = text_sections::wrapped(style.paint(Colour::bold, "LADDER") + "  ",
                                           ladder_sentence(ladder), style, Colour::bold);
  out += text_sections::wrapped("  ", ladder_facts(ladder), style, Colour::dim) + "\n";
  out += rungs_table(ladder, style) + changes_part(ladder, style);
  std::string notes;
  for (const std::string& note : ladder.notes)
    notes += text_sections::wrapped("  ", note, style, Colour::plain);
  return notes.empty() ? out : out + "\nTo be known\n" + notes;
}

}  // namespace stepscope
