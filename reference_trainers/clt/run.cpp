// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/run.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stepscope/annotate.hpp>
#include <utility>

#include "reference_trainers/clt/checkpoint.hpp"
#include "reference_trainers/clt/tensor_file.hpp"
#include "reference_trainers/clt/training.hpp"

namespace stepscope::clt {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Result<StepResult> marked_step(Trainer& trainer, std::int64_t index) {
  const auto mark = stepscope::step_range(static_cast<std::uint64_t>(index));
  return trainer.step(index);
}

std::string progress_line(const Config& config, std::int64_t step, const StepResult& result) {
  const Metrics& metrics = *result.metrics;
  const std::string auxiliary =
      config.aux_k > 0 ? fmt::format(" ({:.5f} of it auxiliary)", result.losses->auxiliary) : "";
  return fmt::format("step {}: loss {:.5f}{}, nmse {:.3f}, explained {:.3f}, l0 {:.1f}, dead {}",
                     step + 1, result.losses->total, auxiliary, metrics.nmse,
                     metrics.explained_variance, metrics.l0, metrics.dead);
}

// Before hours of steps that would have nowhere to go.
Status check_outputs(const Config& config) {
  if (!config.checkpoint.empty()) {
    if (Status good = check_writable("checkpoint", config.checkpoint); !good) return good;
  }
  return config.to_jump_relu.empty() ? Done{} : check_writable("thresholds", config.to_jump_relu);
}

// 0 at a start.
Result<std::int64_t> steps_made(const Config& config, Trainer& trainer) {
  if (config.resume.empty()) return std::int64_t{0};
  Result<std::int64_t> made = read_checkpoint(config.resume, config, trainer.state());
  if (!made) return made;
  const bool converts = *made == config.steps && !config.to_jump_relu.empty();
  if (*made >= config.steps && !converts)
    return bad_input(
        fmt::format("checkpoint {}: {} steps were made already; --steps {} asks for no more",
                    config.resume, *made, config.steps));
  trainer.resume_at(*made);
  return made;
}

Status keep(const Config& config, Trainer& trainer, std::int64_t made) {
  const bool due =
      made == config.steps || (config.checkpoint_every > 0 && made % config.checkpoint_every == 0);
  if (config.checkpoint.empty() || !due) return Done{};
  return write_checkpoint(config.checkpoint, config, trainer.state(), made);
}

// Where it was asked for.
Status convert_at_end(const Config& config, Trainer& trainer, const Say& say, RunResult& result) {
  if (config.to_jump_relu.empty()) return Done{};
  const auto phase = stepscope::phase("convert");
  Result<Conversion> conversion = convert(config, trainer);
  if (!conversion) return conversion.error();
  say(summary(*conversion));
  result.conversion = *conversion;
  return write_thresholds(config.to_jump_relu, config, *conversion, config.steps);
}

}  // namespace

Result<RunResult> run(const Config& wished, const Say& say) {
  Config config = wished;
  const auto chosen = trainers::choose_device(config.device);
  if (!chosen) return chosen.error();
  const at::Device device = chosen->device;
  if (!chosen->note.empty()) say(chosen->note);
  if (config.threads > 0) at::set_num_threads(config.threads);

  if (const Status fits = check_device(config, device); !fits) return fits.error();
  if (const Status writable = check_outputs(config); !writable) return writable.error();
  at::globalContext().setAllowTF32CuBLAS(config.tf32);

  auto store = open_activations(config, device);
  if (!store) return store.error();
  if (!(*store)->about().empty()) say((*store)->about());
  config.rows = (*store)->rows();

  RunResult result{.device = device.str(), .steps = config.steps, .rows = config.rows};
  const std::unique_ptr<Trainer> trainer = make_training(config, device, std::move(*store));
  result.parameters = trainer->parameter_count();
  say(fmt::format("clt {} on {}: {} parameters, {} steps", config.variant, result.device,
                  result.parameters, config.steps));

  const Result<std::int64_t> made = steps_made(config, *trainer);
  if (!made) return made.error();
  if (!config.resume.empty())
    say(fmt::format("resumed behind step {} of {}", *made, config.resume));

  const Clock::time_point begin = Clock::now();
  double first_s = 0;
  bool any_loss = false;
  for (std::int64_t index = *made; index < config.steps; ++index) {
    const Result<StepResult> step = marked_step(*trainer, index);
    if (!step) return step.error();
    if (index == *made) first_s = seconds_since(begin);
    if (step->losses) {
      const double loss = step->losses->total;
      if (!std::isfinite(loss))
        return bad_input(
            fmt::format("step {}: the loss is {}; try a smaller --lr", index + 1, loss));
      if (!std::exchange(any_loss, true)) result.first_loss = loss;
      result.last_loss = loss;
    }
    if (step->metrics)
      result.metrics = *step->metrics, result.evaluated = true,
      say(progress_line(config, index, *step));
    if (const Status kept = keep(config, *trainer, index + 1); !kept) return kept.error();
  }
  trainers::synchronize(device);
  result.wall_s = seconds_since(begin);
  const std::int64_t steps = config.steps - *made;
  if (steps == 1) result.ms_per_step = 1e3 * result.wall_s;
  if (steps > 1)
    result.ms_per_step = 1e3 * (result.wall_s - first_s) / static_cast<double>(steps - 1);
  if (const Status converted = convert_at_end(config, *trainer, say, result); !converted)
    return converted.error();
  return result;
}

namespace {

nlohmann::ordered_json to_json(const Quality& quality) {
  return {{"l0", quality.l0},
          {"nmse", quality.nmse},
          {"explained_variance", quality.explained_variance}};
}

nlohmann::ordered_json to_json(const Config& config, const Conversion& conversion) {
  return {{"file", config.to_jump_relu},
          {"calibration_batches", config.jump_relu_batches},
          {"never_selected", conversion.jump_relu.never_selected},
          {"measured_tokens", conversion.measured_tokens},
          {"measured_on_trained_rows", conversion.trained_on},
          {"as_trained", to_json(conversion.before)},
          {"jumprelu", to_json(conversion.after)}};
}

}  // namespace

std::string to_json(const Config& config, const RunResult& result) {
  nlohmann::ordered_json json{{"schema", "stepscope.train/1"},
                              {"model", "clt"},
                              {"variant", config.variant},
                              {"fixes", names_of(config.fixes)},
                              {"device", result.device},
                              {"products", config.tf32 ? "tf32" : "fp32"},
                              {"config",
                               {{"layers", config.layers},
                                {"features", config.features},
                                {"d_model", config.d_model},
                                {"batch", config.batch},
                                {"k", config.k},
                                {"hierarchical_ranks", config.hierarchical_ranks},
                                {"rows", result.rows},
                                {"eval_every", config.eval_every},
                                {"learning_rate", config.learning_rate},
                                {"sparsity_lambda", config.sparsity_lambda},
                                {"sparsity_c", config.sparsity_c},
                                {"preactivation_coef", config.preactivation_coef},
                                {"aux_k", config.aux_k},
                                {"aux_k_coef", config.aux_k_coef},
                                {"dead_window", config.dead_window},
                                {"seed", config.seed}}},
                              {"parameters", result.parameters},
                              {"steps", result.steps},
                              {"wall_s", result.wall_s},
                              {"ms_per_step", result.ms_per_step},
                              {"loss", {{"first", result.first_loss}, {"last", result.last_loss}}}};
  if (result.evaluated) {
    json["metrics"] = {{"nmse", result.metrics.nmse},
                       {"explained_variance", result.metrics.explained_variance},
                       {"l0", result.metrics.l0},
                       {"log_density", result.metrics.log_density},
                       {"dead", result.metrics.dead}};
  }
  if (result.conversion) json["jumprelu"] = to_json(config, *result.conversion);
  if (!config.data.empty()) json["config"]["data"] = config.data;
  return json.dump();
}

}  // namespace stepscope::clt
