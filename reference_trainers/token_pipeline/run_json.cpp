// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "reference_trainers/token_pipeline/run.hpp"

namespace stepscope::token_pipeline {

std::string to_json(const Config& config, const RunResult& result) {
  const Shape& shape = config.shape;
  nlohmann::ordered_json losses = nlohmann::json::array();
  for (const StepLoss& step : result.losses) losses.push_back(step.loss);
  const nlohmann::ordered_json json{{"schema", "stepscope.train/1"},
                                    {"model", "token_pipeline"},
                                    {"preset", config.preset},
                                    {"rung", all_fixes().title_of(config.fixes)},
                                    {"rungs", all_fixes().names_of(config.fixes)},
                                    {"device", result.device},
                                    {"products", config.tf32 ? "tf32" : "fp32"},
                                    {"ranks", result.ranks},
                                    {"config",
                                     {{"layers", shape.layers},
                                      {"d_model", shape.d_model},
                                      {"heads", shape.heads},
                                      {"hidden", shape.hidden},
                                      {"vocabulary", shape.vocabulary},
                                      {"features", shape.features},
                                      {"classes", shape.classes},
                                      {"batch", config.samples_of_rank()},
                                      {"workers", config.worker_count()},
                                      {"buckets", config.parts_of_batch()},
                                      {"learning_rate", config.learning_rate},
                                      {"data", config.data.empty() ? "made" : config.data},
                                      {"seed", config.seed}}},
                                    {"parameters", result.parameters},
                                    {"steps", config.steps},
                                    {"samples_a_step", result.samples_a_step},
                                    {"tokens_a_step", std::llround(result.tokens_a_step)},
                                    {"timed_steps", result.timed.steps},
                                    {"ms_per_step", result.timed.ms_per_step()},
                                    {"samples_per_s", result.samples_per_s()},
                                    {"tokens_per_s", result.timed.rate(result.tokens_a_step)},
                                    {"peak_bytes", result.peak_bytes},
                                    {"losses", losses}};
  // A path may hold any bytes.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace stepscope::token_pipeline
