// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_ladder.hpp"

#include <nlohmann/json.hpp>

namespace stepscope {
namespace {

using LadderJson = nlohmann::ordered_json;

LadderJson estimate_json(const RepeatedMean& estimate) {
  LadderJson out = {{"value", estimate.value}};
  if (estimate.low && estimate.high) {
    out["low"] = *estimate.low;
    out["high"] = *estimate.high;
  }
  return out;
}

LadderJson parts_json(const std::vector<StepPart>& parts) {
  LadderJson out = LadderJson::array();
  for (const StepPart& part : parts)
    out.push_back({{"cause", name_of(part.cause)}, {"ns", part.ns}});
  return out;
}

LadderJson step_json(const ProfiledStep& step) {
  return {{"wall_ns", step.wall_ns},
          {"steps_counted", step.steps_counted},
          {"bound", name_of(step.bound)},
          {"parts", parts_json(step.parts)},
          {"changes", parts_json(step.changes)}};
}

LadderJson rung_json(const LadderRung& rung) {
  LadderJson out = {{"id", rung.rung.id},
                    {"name", rung.rung.name},
                    {"summary", rung.rung.summary},
                    {"effect", name_of(rung.effect)},
                    {"repeats", rung.rates}};
  if (rung.effect != Effect::failed) {
    out["tokens_per_s"] = estimate_json(rung.tokens_per_s);
    out["ms_per_step"] = rung.ms_per_step;
  }
  if (rung.gain) out["gain"] = estimate_json(*rung.gain);
  if (rung.in_all) out["in_all"] = estimate_json(*rung.in_all);
  if (rung.mfu > 0) out["mfu"] = rung.mfu;
  if (rung.peak_bytes > 0) out["peak_bytes"] = rung.peak_bytes;
  if (rung.loss)
    out["loss"] = {{"last", rung.loss->last},
                   {"largest_difference", rung.loss->largest_difference},
                   {"at_step", rung.loss->at_step},
                   {"within_tolerance", rung.loss->within}};
  if (rung.step) out["profiled_step"] = step_json(*rung.step);
  if (!rung.failure.empty()) out["failure"] = rung.failure;
  return out;
}

}  // namespace

std::string json_ladder(const Ladder& ladder) {
  LadderJson out = {{"schema", "stepscope.ladder/1"},
                    {"tool", {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}}},
                    {"model", ladder.model},
                    {"preset", ladder.preset},
                    {"device", ladder.device},
                    {"tokens_a_step", ladder.tokens_a_step},
                    {"timed_steps", ladder.timed_steps},
                    {"repeats", ladder.repeats},
                    {"loss_tolerance", ladder.options.loss_tolerance},
                    {"same_losses", ladder.same_losses()},
                    {"rungs", LadderJson::array()},
                    {"notes", ladder.notes}};
  for (const LadderRung& rung : ladder.rungs) out["rungs"].push_back(rung_json(rung));
  return out.dump(1, ' ', false, LadderJson::error_handler_t::replace) + "\n";
}

}  // namespace stepscope
