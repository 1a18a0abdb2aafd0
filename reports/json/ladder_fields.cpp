// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_rows.hpp"

namespace stepscope::ladder_fields {
namespace {

Json parts_of_step(const std::vector<StepPart>& parts) {
  Json out = Json::array();
  for (const StepPart& part : parts)
    out.push_back({{"cause", name_of(part.cause)}, {"ns", part.ns}});
  return out;
}

Json profiled_step(const ProfiledStep& step) {
  return {{"wall_ns", step.wall_ns},
          {"steps_counted", step.steps_counted},
          {"bound", name_of(step.bound)},
          {"parts", parts_of_step(step.parts)},
          {"changes", parts_of_step(step.changes)}};
}

Json rung_fields(const LadderRung& rung) {
  Json out = name(rung.rung);
  out["effect"] = name_of(rung.effect);
  out["repeats"] = rung.rates;
  if (rung.effect != Effect::failed) {
    out["tokens_per_s"] = estimate(rung.tokens_per_s);
    out["ms_per_step"] = rung.ms_per_step;
  }
  if (rung.gain) out["gain"] = estimate(*rung.gain);
  if (rung.in_all) out["in_all"] = estimate(*rung.in_all);
  if (rung.mfu > 0) out["mfu"] = rung.mfu;
  if (rung.peak_bytes > 0) out["peak_bytes"] = rung.peak_bytes;
  if (rung.loss)
    out["loss"] = {{"last", rung.loss->last},
                   {"largest_difference", rung.loss->largest_difference},
                   {"at_step", rung.loss->at_step},
                   {"within_tolerance", rung.loss->within}};
  if (rung.step) out["profiled_step"] = profiled_step(*rung.step);
  if (!rung.failure.empty()) out["failure"] = rung.failure;
  return out;
}

}  // namespace

Json head(const char* schema, const Ladder& ladder) {
  return {{"schema", schema},
          {"tool", {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}}},
          {"model", ladder.model},
          {"preset", ladder.preset},
          {"device", ladder.device},
          {"timed_steps", ladder.timed_steps},
          {"repeats", ladder.repeats},
          {"loss_tolerance", ladder.options.loss_tolerance},
          {"same_losses", ladder.same_losses()}};
}

Json name(const RungName& rung) {
  return {{"id", rung.id}, {"name", rung.name}, {"summary", rung.summary}};
}

Json estimate(const RepeatedMean& estimate) {
  Json out = {{"value", estimate.value}};
  if (estimate.low && estimate.high) {
    out["low"] = *estimate.low;
    out["high"] = *estimate.high;
  }
  return out;
}

Json rungs(const Ladder& ladder) {
  Json out = Json::array();
  for (const LadderRung& rung : ladder.rungs) out.push_back(rung_fields(rung));
  return out;
}

std::string written(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stepscope::ladder_fields
