// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "reference_trainers/common/program/trainer_words.hpp"
#include "reference_trainers/llm/run.hpp"

namespace stepscope::llm {
namespace {

nlohmann::ordered_json config_json(const Config& config) {
  const Shape& shape = config.shape;
  return {{"layers", shape.layers},
          {"d_model", shape.d_model},
          {"heads", shape.heads},
          {"kv_heads", shape.kv_heads},
          {"hidden", shape.hidden},
          {"vocabulary", shape.vocabulary},
          {"sequence", config.sequence},
          {"micro_batch", config.micro_batch},
          {"accumulate", config.accumulate},
          {"learning_rate", config.learning_rate},
          {"weight_decay", config.weight_decay},
          {"clip", config.clip},
          {"data", config.data.empty() ? "made" : config.data},
          {"seed", config.seed}};
}

}  // namespace

std::string to_json(const Config& wished, const RunResult& result) {
  Config config = wished;
  config.ranks = result.ranks;
  nlohmann::ordered_json losses = nlohmann::json::array(), norms = losses;
  for (const StepLog& step : result.log) {
    losses.push_back(step.loss);
    norms.push_back(step.gradient_norm);
  }
  nlohmann::ordered_json json{{"schema", "stepscope.train/1"},
                              {"model", "llm"},
                              {"preset", config.preset},
                              {"rung", title_of(config.rungs)},
                              {"rungs", names_of(config.rungs)},
                              {"device", result.device},
                              {"ranks", result.ranks},
                              {"zero", config.zero && result.ranks > 1},
                              {"config", config_json(config)},
                              {"parameters", result.parameters},
                              {"steps", config.steps},
                              {"resumed_from", result.resumed_from},
                              {"tokens_a_step", config.tokens_a_step()},
                              {"timed_steps", result.timed.steps},
                              {"ms_per_step", result.timed.ms_per_step()},
                              {"tokens_per_s", result.tokens_per_s(config)},
                              {"flops_a_token", config.flops_a_token()},
                              {"peak_bytes", result.peak_bytes},
                              {"losses", losses},
                              {"gradient_norms", norms}};
  if (result.mfu(config) > 0) {
    json["mfu"] = result.mfu(config);
    json["peak_tflops"] = config.peak_tflops;
  }
  // A path may hold any bytes.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string list_switches() {
  return trainers::switches_json("llm", trainers::listed(ladder()),
                                 trainers::names_of(all_presets()));
}

}  // namespace stepscope::llm
