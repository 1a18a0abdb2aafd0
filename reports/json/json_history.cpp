// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_documents.hpp"

#include <nlohmann/json.hpp>

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

Json point_json(const HistoryPoint& point) {
  Json out = {{"name", point.name}, {"value", point.value ? Json(*point.value) : Json(nullptr)}};
  if (!point.left_out.empty()) out["left_out"] = point.left_out;
  return out;
}

Json metric_json(const MetricHistory& metric) {
  Json out = {{"name", metric.metric.name},
              {"kind", name_of(metric.metric.kind)},
              {"verdict", name_of(metric.outcome)},
              {"why", metric.why},
              {"points", Json::array()},
              {"changes", Json::array()}};
  for (const HistoryPoint& point : metric.points) out["points"].push_back(point_json(point));
  for (const LevelChange& change : metric.changes)
    out["changes"].push_back({{"at", change.at},
                              {"name", metric.points[change.at].name},
                              {"before", change.before},
                              {"after", change.after},
                              {"chance", change.chance}});
  return out;
}

}  // namespace

std::string json_history(const History& history) {
  Json out = {{"schema", "stepscope.history/1"},
              {"tool", {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}}},
              {"verdict", name_of(history.outcome)},
              {"tolerance", history.options.tolerance},
              {"level", history.options.level},
              {"recent", history.options.recent},
              {"metrics", Json::array()}};
  for (const MetricHistory& metric : history.metrics) out["metrics"].push_back(metric_json(metric));
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stepscope
