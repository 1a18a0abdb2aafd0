// SPDX-License-Identifier: Apache-2.0
// The loops that a run has one after the other, other ways to divide them, and what is in none: the
// times sum to what was recorded. No row for a run of one loop that can be divided in one way.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/tables.hpp"
#include "core/support/duration.hpp"

namespace stepscope::report {
namespace {

bool is_divided(const Steps& steps) {
  return steps.sections.size() > 1 ||
         std::any_of(steps.sections.begin(), steps.sections.end(),
                     [](const Section& section) { return section.divisions.size() > 1; });
}

bool is_shown(const Steps& steps, const SectionChoice& choice) {
  return choice.section == steps.chosen.section && choice.division == steps.chosen.division;
}

std::string choice_text(const Steps& steps, const SectionChoice& choice) {
  return is_shown(steps, choice) ? "shown here" : "--section " + name_of(choice);
}

// The section that is shown has the report's own mean, over the counted steps.
Row section_row(const Summary& summary, const SectionChoice& choice) {
  const Steps& steps = summary.steps;
  const Section& section = steps.sections[choice.section];
  const Division& division = section.divisions[choice.division];
  const double count = static_cast<double>(std::max<std::uint64_t>(1, division.steps));
  const bool counted = is_shown(steps, choice) && summary.partition.steps_counted > 0;
  const Amount time{division.recorded_ns};
  const bool is_first = choice.division == 0;
  Row out;
  out.weight = Weight::always;
  out.cells = {
      Words{name_of(choice) + "  " + (is_first ? section.kind : "the same, divided otherwise")},
      is_first ? Cell(time) : Cell(),
      is_first ? Cell(time) : Cell(),
      Amount{static_cast<std::int64_t>(division.steps)},
      counted ? summary.partition.wall_ns_per_step()
              : static_cast<double>(division.recorded_ns) / count,
      Words{choice_text(steps, choice)}};
  return out;
}

Row outside_row(const Steps& steps) {
  const Amount time{steps.outside_sections_ns()};
  Row out;
  out.weight = Weight::always;
  out.cells = {Words{"in no loop"}, time, time, {}, {}, {}};
  return out;
}

std::vector<std::string> section_texts(const Summary& summary) {
  const Steps& steps = summary.steps;
  std::vector<std::string> out;
  for (std::size_t section = 0; section < steps.sections.size(); ++section) {
    const auto& divisions = steps.sections[section].divisions;
    for (std::size_t d = 1; d < divisions.size(); ++d)
      out.push_back(fmt::format("{}: {}; {} is {}", name_of(SectionChoice{section, d}),
                                divisions[d].how, name_of(SectionChoice{section, 0}),
                                divisions.front().how));
  }
  if (summary.partition.steps_counted > 0)
    out.push_back(
        fmt::format("a step: of {}, the {} counted steps as above; of the others all, "
                    "warm-up included",
                    name_of(steps.chosen), summary.partition.steps_counted));
  if (steps.sections.size() > 1)
    out.emplace_back(
        "the longest is the first; a loop that trains goes before one that takes up to "
        "twice its time");
  return out;
}

}  // namespace

Table sections_table(const Summary& summary) {
  const Steps& steps = summary.steps;
  const auto recorded = static_cast<double>(steps.recorded_ns);
  const std::string title = fmt::format("Sections of {} recorded", format_duration(recorded));
  Table out{.id = "sections", .title = title, .brief = title, .tab = "Sections"};
  out.whole_ns = recorded;
  out.columns = {{"loop", "loop"},
                 {"ns", "time", Kind::duration},
                 {"share", "share", Kind::share},
                 {"steps", "steps", Kind::count},
                 {"ns_per_step", "a step", Kind::duration},
                 {"choice", "", Kind::note}};
  if (!is_divided(steps)) return out;
  for (std::size_t section = 0; section < steps.sections.size(); ++section) {
    for (std::size_t d = 0; d < steps.sections[section].divisions.size(); ++d)
      out.rows.push_back(section_row(summary, {section, d}));
  }
  out.rows.push_back(outside_row(steps));
  out.texts = section_texts(summary);
  return out;
}

}  // namespace stepscope::report
