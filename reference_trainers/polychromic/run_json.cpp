// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "reference_trainers/polychromic/run.hpp"

namespace stepscope::polychromic {
namespace {

nlohmann::ordered_json shape_json(const Shape& shape) {
  return {{"layers", shape.layers}, {"d_model", shape.d_model}, {"heads", shape.heads}};
}

}  // namespace

std::string to_json(const Config& config, const RunResult& result) {
  nlohmann::ordered_json losses = nlohmann::json::array(), diversities = losses;
  for (const StepNumbers& step : result.steps) {
    losses.push_back(step.language);
    diversities.push_back(step.diversity);
  }
  const nlohmann::ordered_json json{
      {"schema", "stepscope.train/1"},
      {"model", "polychromic"},
      {"preset", config.preset},
      {"rung", all_fixes().title_of(config.fixes)},
      {"rungs", all_fixes().names_of(config.fixes)},
      {"device", result.device},
      {"products", config.bf16   ? "bf16"
                   : config.tf32 ? "tf32"
                                 : "fp32"},
      {"config",
       {{"decoder", shape_json(config.decoder)},
        {"encoder", shape_json(config.encoder)},
        {"vocabulary", config.vocabulary},
        {"prompt", config.lengths.prompt},
        {"reply", config.lengths.reply},
        {"prompts", config.prompts},
        {"replies", config.replies},
        {"batch", config.batch},
        {"diversity_weight", config.diversity_weight},
        {"learning_rate", config.learning_rate},
        {"data", config.data.empty() ? "made" : config.data},
        {"seed", config.seed}}},
      {"parameters", result.parameters},
      {"bytes_of_pass", result.bytes_of_pass},
      {"steps", config.steps},
      {"tokens_a_step", config.tokens_a_step()},
      {"timed_steps", result.timed.steps},
      {"ms_per_step", result.timed.ms_per_step()},
      {"generate_ms", result.generate_ms},
      {"encode_ms", result.encode_ms},
      {"diversity_ms", result.diversity_ms},
      {"tokens_per_s", result.timed.rate(static_cast<double>(config.tokens_a_step()))},
      {"peak_bytes", result.peak_bytes},
      {"losses", losses},
      {"diversities", diversities},
      {"first_replies", result.first_replies}};
  // A path may hold any bytes.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace stepscope::polychromic
