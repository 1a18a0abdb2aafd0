// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_documents.hpp"

#include <nlohmann/json.hpp>

#include "reports/json/json_rows.hpp"

namespace stepscope {
namespace {

namespace fields = ladder_fields;
using StudyJson = fields::Json;

StudyJson shared_gain_json(const SharedGain& gain) {
  StudyJson out = fields::name(gain.rung);
  out["share"] = fields::estimate(gain.share);
  out["alone"] = fields::estimate(gain.alone);
  out["behind_all"] = fields::estimate(gain.behind_all);
  out["least"] = gain.least;
  out["most"] = gain.most;
  return out;
}

StudyJson point_json(const SweepPoint& point) {
  StudyJson out = {{"micro_batch", point.micro_batch},
                   {"tokens_a_step", point.ladder.tokens_a_step},
                   {"effect", name_of(point.effect)},
                   {"rungs", fields::rungs(point.ladder)}};
  return out;
}

}  // namespace

std::string json_orders(const RungOrders& orders) {
  StudyJson out = fields::head("stepscope.ladder_orders/1", orders.subsets);
  out["tokens_a_step"] = orders.subsets.tokens_a_step;
  out["base"] = fields::name(orders.base);
  out["rungs"] = StudyJson::array();
  for (const SharedGain& gain : orders.rungs) out["rungs"].push_back(shared_gain_json(gain));
  if (!orders.rungs.empty()) out["in_all"] = fields::estimate(orders.in_all);
  out["subsets"] = fields::rungs(orders.subsets);
  out["notes"] = orders.subsets.notes;
  return fields::written(out);
}

std::string json_sweep(const LadderSweep& sweep) {
  const Ladder none;
  StudyJson out = fields::head("stepscope.ladder_sweep/1",
                               sweep.points.empty() ? none : sweep.points[0].ladder);
  out["same_losses"] = sweep.same_losses();
  out["points"] = StudyJson::array();
  for (const SweepPoint& point : sweep.points) out["points"].push_back(point_json(point));
  out["notes"] = sweep.notes;
  return fields::written(out);
}

}  // namespace stepscope
