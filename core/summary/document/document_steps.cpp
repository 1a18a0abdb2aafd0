// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_steps.hpp"

#include <fmt/format.h>

#include "core/summary/document/document_long_steps.hpp"
#include "core/summary/document/document_values.hpp"

namespace stepscope {
namespace {

FoundBy read_found_by(const Field& field) {
  const std::string name = field.text();
  for (auto i = static_cast<int>(FoundBy::none); i <= static_cast<int>(FoundBy::whole_trace); ++i)
    if (name == name_of(static_cast<FoundBy>(i))) return static_cast<FoundBy>(i);
  field.fail(fmt::format("'{}' is no way to find steps that this version knows", name));
}

void read_step_parts(const Field& step, PerCause<std::int64_t>& parts) {
  const Field field = step.at("parts");
  if (!field.json().is_object()) field.fail("must be an object");
  for (const auto& [name, ns] : field.json().items()) {
    const Field part(ns, field.path() + "." + name);
    const std::optional<Cause> cause = cause_named(name);
    if (!cause) part.fail("is no cause that this version knows");
    parts[index_of(*cause)] = read_time(part);
  }
}

WarmUp read_warm_up(const Field& steps) {
  const auto field = steps.find("warm_up");
  if (!field) return {};
  return {field->at("steps").count(), read_time(field->at("wall_ns")), field->text_or("why")};
}

Division read_division(const Field& field) {
  return {read_found_by(field.at("found_by")),
          field.at("steps").count(),
          {read_moment(field.at("begin_ns")), read_moment(field.at("end_ns"))},
          field.text_or("how")};
}

// Documents of earlier versions have none.
void read_sections(const Field& field, Steps& out) {
  out.recorded = {read_moment(field.at("begin_ns")), read_moment(field.at("end_ns"))};
  field.at("list").for_each([&](const Field& section) {
    Section read{.kind = section.text_or("kind"), .divisions = {}};
    section.at("divisions").for_each([&](const Field& division) {
      read.divisions.push_back(read_division(division));
    });
    if (read.divisions.empty()) section.at("divisions").fail("must not be empty");
    out.sections.push_back(std::move(read));
  });
  const Result<SectionChoice> chosen = parse_section(field.at("chosen").text());
  if (!chosen) field.at("chosen").fail("must be a section's number, like \"1\" or \"1.1\"");
  out.chosen = *chosen;
}

void check_steps(const Field& steps, const Summary& out) {
  const std::size_t ranks = out.job ? out.job->ranks.size() : 1;
  if (out.counted.size() * ranks != out.partition.steps_counted)
    steps.at("list").fail(fmt::format("counts {} steps, but partition.steps_counted is {}",
                                      out.counted.size() * ranks, out.partition.steps_counted));
}

}  // namespace

void read_steps(const Field& steps, Summary& out) {
  out.steps.found_by = read_found_by(steps.at("found_by"));
  out.steps.confidence = steps.at("confidence").number();
  out.steps.how = steps.text_or("how");
  out.counting = steps.text_or("counting");
  if (const auto notes = steps.find("notes"))
    notes->for_each([&](const Field& note) { out.steps.notes.push_back(note.text()); });
  steps.at("list").for_each([&](const Field& field) {
    Step step;
    step.id = field.at("id").integer();
    step.window.begin = read_moment(field.at("begin_ns"));
    const auto wall = field.find("wall_ns");
    step.wall_known = wall.has_value();
    step.window.end = step.window.begin + (wall ? read_time(*wall) : 0);
    step.host = step.window;
    step.steady = field.at("steady").flag();
    step.why_not_steady = field.text_or("why_not_steady");
    if (const auto compile = field.find("compile_ns")) step.compile_ns = read_time(*compile);
    const auto counted = field.find("counted");
    if (counted ? counted->flag() : step.steady)
      out.counted.push_back(static_cast<std::uint32_t>(out.steps.list.size()));
    out.steps.list.push_back(std::move(step));
    out.step_parts.emplace_back();
    read_step_parts(field, out.step_parts.back());
  });
  out.steps.warm_up = read_warm_up(steps);
  if (out.steps.warm_up.steps > out.steps.list.size())
    steps.at("warm_up").at("steps").fail("is more than steps.list holds");
  if (const auto sections = steps.find("sections")) read_sections(*sections, out.steps);
  if (const auto long_steps = steps.find("long_steps"))
    out.long_steps = read_long_steps(*long_steps, out.steps);
  else if (const auto outliers = steps.find("outliers"))
    out.long_steps = read_outliers(*outliers, out.partition.wall_ns_total);
  check_steps(steps, out);
}

}  // namespace stepscope
