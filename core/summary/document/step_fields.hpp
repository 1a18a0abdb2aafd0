// SPDX-License-Identifier: Apache-2.0
// The description of a document's steps: each with its parts, warm-up, sections and long steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/steps/unusual/long_rule.hpp"
#include "core/summary/document/document_field.hpp"
#include "core/summary/document/fields.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::document {

// A step beside what the summary keeps of it in columns of their own.
struct StepRow {
  Step step;
  bool counted = false;
  PerCause<std::int64_t> parts{};
};

template <class V, Is<StepRow> Row>
void fields(V& v, Row& row) {
  auto& step = row.step;
  std::optional<std::int64_t> wall;
  if (!V::kReads && step.wall_known) wall = step.wall_ns();
  v.need("id", as<Meaning::any>(step.id));
  v.need("begin_ns", as<Meaning::moment>(step.window.begin));
  v.maybe("wall_ns", wall);
  v.need("steady", step.steady);
  v.if_any("why_not_steady", step.why_not_steady);
  if constexpr (V::kReads) row.counted = step.steady;
  v.maybe("counted", row.counted);
  v.if_any("compile_ns", step.compile_ns);
  v.need("parts", row.parts);
  if constexpr (V::kReads) {
    step.wall_known = wall.has_value();
    step.window.end = step.window.begin + wall.value_or(0);
    step.host = step.window;
  }
}

template <class V, Is<WarmUp> First>
void fields(V& v, First& warm_up) {
  v.need("steps", warm_up.steps);
  v.need("wall_ns", warm_up.wall_ns);
  v.maybe("why", warm_up.why);
}

template <class V, Is<ExcessRow> Row>
void fields(V& v, Row& row) {
  v.need("cause", row.cause);
  v.need("ns_total", as<Meaning::difference>(row.ns_total));
  if (!v.wants(!row.file.empty())) return;
  v.maybe("file", row.file);
  v.maybe("line", row.line);
  v.maybe("function", row.function);
}

// `ids`: of the steps that LongSteps::rows names.
template <class V, Is<LongSteps> Long, class Ids>
void fields(V& v, Long& steps, Ids& ids) {
  v.need("steps", steps.steps);
  v.need("ids", ids);
  v.derived("rule", long_rule_text());
  v.need("median_ns", steps.median_ns);
  v.need("limit_ns", steps.limit_ns);
  v.need("longest_ns", steps.longest_ns);
  v.need("wall_ns_total", steps.wall_ns_total);
  v.need("loop_ns_total", steps.loop_ns_total);
  v.derived("share", steps.share());
  v.need("excess_ns_total", steps.excess_ns_total);
  v.derived("excess_by_cause", steps.excess_by_cause());
  v.list("excess", steps.excess);
  v.need("left_out", steps.left_out);
}

// The loops that the run has one after the other, and how each can be divided.
template <class V, Is<Steps> Found>
void section_fields(V& v, Found& steps) {
  v.need("chosen", as<Meaning::section>(steps.chosen));
  v.need("begin_ns", as<Meaning::moment>(steps.recorded.begin));
  v.need("end_ns", as<Meaning::moment>(steps.recorded.end));
  v.maybe("recorded_ns", steps.recorded_ns);
  v.derived("outside_ns", steps.outside_sections_ns());
  v.list_of("list", steps.sections, [](auto& v2, auto& section, std::size_t s) {
    v2.maybe("kind", section.kind);
    v2.list_of("divisions", section.divisions, [s](auto& v3, auto& division, std::size_t d) {
      v3.derived("section", name_of(SectionChoice{s, d}));
      v3.need("found_by", division.found_by);
      v3.maybe("how", division.how);
      v3.need("steps", division.steps);
      v3.need("begin_ns", as<Meaning::moment>(division.host.begin));
      v3.need("end_ns", as<Meaning::moment>(division.host.end));
      v3.maybe("recorded_ns", division.recorded_ns);
      v3.if_any("loop", division.loop);
      v3.if_any("is_around", division.is_around);
      v3.if_any("steps_each", division.steps_each);
      v3.if_any("own_share", division.own_share);
    });
  });
}

// Documents of earlier versions have neither sections nor long steps.
template <class V, Is<Summary> All, class Rows, class Ids>
void step_fields(V& v, All& summary, Rows& rows, Ids& long_ids) {
  auto& steps = summary.steps;
  v.need("found_by", steps.found_by);
  v.need("confidence", steps.confidence);
  v.maybe("how", steps.how);
  v.maybe("notes", steps.notes);
  v.maybe("counting", summary.counting);
  v.object("warm_up", [&](auto& inner) { fields(inner, steps.warm_up); });
  v.object("long_steps", [&](auto& inner) { fields(inner, summary.long_steps, long_ids); });
  v.object("sections", [&](auto& inner) { section_fields(inner, steps); });
  v.derived("count", rows.size());
  v.list("list", rows);
}

}  // namespace stepscope::document

namespace stepscope {

// The steps of a report's document: each with its parts, warm-up, sections, long steps. Internal to
// core/summary.

// Into out.steps, counted, step_parts and long_steps; out.partition must have been read.
void read_steps(const Field& steps, Summary& out);

}  // namespace stepscope
