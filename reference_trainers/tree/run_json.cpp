// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "reference_trainers/tree/run.hpp"

namespace stepscope::tree {

std::string to_json(const Config& config, const RunResult& result) {
  const Shape& shape = config.shape;
  const auto tokens = static_cast<double>(config.tokens_a_step());
  return nlohmann::ordered_json{
      {"schema", "stepscope.train/1"},
      {"model", "tree"},
      {"preset", config.preset},
      {"kind", shape.kind == Kind::plain ? "plain" : "tree"},
      {"rung", all_fixes().title_of(config.fixes)},
      {"rungs", all_fixes().names_of(config.fixes)},
      {"device", result.device},
      {"products", config.tf32 ? "tf32" : "fp32"},
      {"config",
       {{"depth", shape.depth},
        {"nodes", shape.nodes()},
        {"d_model", shape.d_model},
        {"heads", shape.heads},
        {"vocabulary", shape.vocabulary},
        {"sequence", shape.sequence},
        {"batch", config.sequences_a_step()},
        {"credit", config.credit},
        {"clip", config.fixes.clipping ? config.clip : 0},
        {"eval_every", config.eval_every},
        {"learning_rate", config.learning_rate},
        {"seed", config.seed}}},
      {"parameters", result.parameters},
      {"steps", config.steps},
      {"tokens_a_step", config.tokens_a_step()},
      {"timed_steps", result.timed.steps},
      {"ms_per_step", result.timed.ms_per_step()},
      {"steps_per_s", result.timed.rate(1)},
      {"sequences_per_s", result.timed.rate(static_cast<double>(config.sequences_a_step()))},
      {"tokens_per_s", result.timed.rate(tokens)},
      {"peak_bytes", result.peak_bytes},
      {"losses", result.losses},
      {"eval_losses", result.eval_losses}}
      .dump();
}

}  // namespace stepscope::tree
