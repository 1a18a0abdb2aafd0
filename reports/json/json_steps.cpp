// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_steps.hpp"

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
  out["parts"] = parts_json(parts);
  return out;
}

Json outliers_json(const Outliers& outliers) {
  Json out = {{"steps", outliers.steps},
              {"wall_ns_total", outliers.wall_ns_total},
              {"share", outliers.share}};
  if (outliers.steps == 0) return out;
  out["lowest_ratio"] = outliers.lowest_ratio;
  out["highest_ratio"] = outliers.highest_ratio;
  out["wall_ns_per_step_all"] = outliers.wall_ns_per_step_all;
  return out;
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
          {"outliers", outliers_json(summary.outliers)},
          {"count", steps.list.size()},
          {"list", std::move(list)}};
}

}  // namespace stepscope
