// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_steps.hpp"

#include "core/steps/unusual/long_rule.hpp"
#include "reports/json/json_rows.hpp"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

Json parts_json(const PerCause<std::int64_t>& parts) {
  Json out = Json::object();
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    if (parts[i] != 0) out[std::string(name_of(static_cast<Cause>(i)))] = parts[i];
  }
  return out;
}

Json step_json(const Step& step, bool counted, const PerCause<std::int64_t>& parts) {
  Json out = {{"id", step.id}, {"begin_ns", step.window.begin}};
  out["wall_ns"] = step.wall_known ? Json(step.wall_ns()) : Json(nullptr);
  out["steady"] = step.steady;
  if (!step.why_not_steady.empty()) out["why_not_steady"] = step.why_not_steady;
  out["counted"] = counted;
  if (step.compile_ns > 0) out["compile_ns"] = step.compile_ns;
  out["parts"] = parts_json(parts);
  return out;
}

Json excess_json(const LongSteps& steps) {
  Json rows = Json::array();
  for (const ExcessRow& row : steps.excess) {
    Json out = {{"cause", name_of(row.cause)}, {"ns_total", row.ns_total}};
    if (!row.file.empty()) {
      out["file"] = row.file;
      out["line"] = row.line;
      out["function"] = row.function;
    }
    rows.push_back(std::move(out));
  }
  return rows;
}

Json excess_by_cause_json(const LongSteps& steps) {
  Json out = Json::object();
  for (const auto& [cause, ns] : steps.excess_by_cause()) out[std::string(name_of(cause))] = ns;
  return out;
}

Json long_steps_json(const Summary& summary) {
  const LongSteps& steps = summary.long_steps;
  Json ids = Json::array();
  for (const std::uint32_t row : steps.rows) ids.push_back(summary.steps.list[row].id);
  return {{"steps", steps.steps},
          {"ids", std::move(ids)},
          {"rule", long_rule_text()},
          {"median_ns", steps.median_ns},
          {"limit_ns", steps.limit_ns},
          {"longest_ns", steps.longest_ns},
          {"wall_ns_total", steps.wall_ns_total},
          {"loop_ns_total", steps.loop_ns_total},
          {"share", steps.share()},
          {"excess_ns_total", steps.excess_ns_total},
          {"excess_by_cause", excess_by_cause_json(steps)},
          {"excess", excess_json(steps)},
          {"left_out", steps.left_out}};
}

Json warm_up_json(const WarmUp& warm_up) {
  return {{"steps", warm_up.steps}, {"wall_ns", warm_up.wall_ns}, {"why", warm_up.why}};
}

Json sections_json(const Steps& steps) {
  Json out = Json::array();
  for (std::size_t s = 0; s < steps.sections.size(); ++s) {
    Json divisions = Json::array();
    for (std::size_t d = 0; d < steps.sections[s].divisions.size(); ++d) {
      const Division& division = steps.sections[s].divisions[d];
      divisions.push_back({{"section", name_of(SectionChoice{s, d})},
                           {"found_by", name_of(division.found_by)},
                           {"how", division.how},
                           {"steps", division.steps},
                           {"begin_ns", division.host.begin},
                           {"end_ns", division.host.end}});
    }
    out.push_back({{"kind", steps.sections[s].kind}, {"divisions", std::move(divisions)}});
  }
  return {{"chosen", name_of(steps.chosen)},
          {"begin_ns", steps.recorded.begin},
          {"end_ns", steps.recorded.end},
          {"outside_ns", steps.outside_sections_ns()},
          {"list", std::move(out)}};
}

}  // namespace

Json steps_json(const Summary& summary) {
  const Steps& steps = summary.steps;
  std::vector<bool> counted(steps.list.size(), false);
  for (const std::uint32_t row : summary.counted) counted[row] = true;
  Json list = Json::array();
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    list.push_back(step_json(steps.list[i], counted[i], summary.step_parts[i]));
  }
  return {{"found_by", name_of(steps.found_by)},
          {"confidence", steps.confidence},
          {"how", steps.how},
          {"notes", steps.notes},
          {"counting", summary.counting},
          {"warm_up", warm_up_json(steps.warm_up)},
          {"long_steps", long_steps_json(summary)},
          {"sections", sections_json(steps)},
          {"count", steps.list.size()},
          {"list", std::move(list)}};
}

namespace json_rows {

Json step(const Step& step, bool counted, const PerCause<std::int64_t>& parts) {
  return step_json(step, counted, parts);
}

}  // namespace json_rows
}  // namespace stepscope
