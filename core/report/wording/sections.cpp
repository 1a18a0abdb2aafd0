// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"

namespace stepscope {
namespace {

bool says_something(const Steps& steps) {
  return steps.sections.size() > 1 ||
         std::any_of(steps.sections.begin(), steps.sections.end(),
                     [](const Section& section) { return section.divisions.size() > 1; });
}

std::string share_of(const Steps& steps, std::int64_t ns) {
  const std::int64_t all = steps.recorded.length();
  return all > 0 ? format_share(static_cast<double>(ns) / static_cast<double>(all)) : "";
}

bool is_shown(const Steps& steps, const SectionChoice& choice) {
  return choice.section == steps.chosen.section && choice.division == steps.chosen.division;
}

std::string choice_text(const Steps& steps, const SectionChoice& choice) {
  return is_shown(steps, choice) ? "shown here" : "--section " + name_of(choice);
}

// Of the section that is shown, the report's own mean, over the counted steps.
SectionLine line_of(const Summary& summary, const SectionChoice& choice) {
  const Steps& steps = summary.steps;
  const Section& section = steps.sections[choice.section];
  const Division& division = section.divisions[choice.division];
  const double count = static_cast<double>(std::max<std::uint64_t>(1, division.steps));
  const bool counted = is_shown(steps, choice) && summary.partition.steps_counted > 0;
  const double mean = counted ? summary.partition.wall_ns_per_step()
                              : static_cast<double>(division.host.length()) / count;
  const std::int64_t ns = intersect(division.host, steps.recorded).length();
  SectionLine line{.name = name_of(choice),
                   .what = choice.division == 0 ? section.kind : "the same, divided otherwise",
                   .steps = fmt::format("{}", division.steps),
                   .mean = format_duration(mean),
                   .choice = choice_text(steps, choice)};
  if (choice.division > 0) return line;
  line.time = format_duration(static_cast<double>(ns));
  line.share = share_of(steps, ns);
  return line;
}

}  // namespace

std::string sections_title(const Summary& summary) {
  return fmt::format("of {} recorded",
                     format_duration(static_cast<double>(summary.steps.recorded.length())));
}

std::vector<SectionLine> section_lines(const Summary& summary) {
  const Steps& steps = summary.steps;
  std::vector<SectionLine> out;
  if (!says_something(steps)) return out;
  for (std::size_t section = 0; section < steps.sections.size(); ++section) {
    for (std::size_t d = 0; d < steps.sections[section].divisions.size(); ++d)
      out.push_back(line_of(summary, {section, d}));
  }
  const std::int64_t outside = steps.outside_sections_ns();
  out.push_back({.what = "in no loop",
                 .time = format_duration(static_cast<double>(outside)),
                 .share = share_of(steps, outside)});
  return out;
}

std::vector<std::string> section_texts(const Summary& summary) {
  const Steps& steps = summary.steps;
  std::vector<std::string> out;
  if (!says_something(steps)) return out;
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

}  // namespace stepscope
