// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/run.hpp"

#include <ATen/Context.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <stepscope/annotate.hpp>
#include <utility>
#include <vector>

#include "reference_trainers/clt/data/same_activations.hpp"
#include "reference_trainers/clt/ranks/ranks.hpp"
#include "reference_trainers/clt/training/checkpoint.hpp"
#include "reference_trainers/clt/training/training.hpp"
#include "reference_trainers/common/program/rank_run.hpp"
#include "reference_trainers/common/program/step_clock.hpp"
#include "reference_trainers/common/tensor_file.hpp"

namespace stepscope::clt {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Result<StepResult> marked_step(Trainer& trainer, const trainers::SlowWork& slow,
                               std::int64_t index) {
  const auto mark = stepscope::step_range(static_cast<std::uint64_t>(index));
  slow.in_step();
  return trainer.step(index);
}

const char* name_of(Parallel parallel) {
  return parallel == Parallel::features ? "features" : "data";
}

std::string progress_line(const Config& config, std::int64_t step, const StepResult& result) {
  const Metrics& metrics = *result.metrics;
  const std::string auxiliary =
      config.aux_k > 0 ? fmt::format(" ({:.5f} of it auxiliary)", result.losses->auxiliary) : "";
  return fmt::format("step {}: loss {:.5f}{}, nmse {:.3f}, explained {:.3f}, l0 {:.1f}, dead {}",
                     step + 1, result.losses->total, auxiliary, metrics.nmse,
                     metrics.explained_variance, metrics.l0, metrics.dead);
}

// Ranks that share features each keep their own part of the state; ranks that share data hold the
// same state.
CheckpointPart part_of(const Ranks& ranks) {
  if (!ranks.by_features()) return {};
  CheckpointPart part{.rank = ranks.comm().rank(), .ranks = ranks.comm().size()};
  part.all_on_disk = [&ranks] { ranks.comm().barrier(); };
  return part;
}

// The state is written by every rank that has a part of its own, else by one.
bool writes(const Ranks& ranks) {
  return !ranks.by_rows() || ranks.comm().rank() == 0;
}

// Checks the outputs before hours of steps that would have nowhere to go.
Status check_outputs(const Config& config, const Ranks& ranks) {
  if (!config.checkpoint.empty() && writes(ranks)) {
    if (Status good =
            trainers::check_writable("checkpoint", part_of(ranks).path_of(config.checkpoint));
        !good)
      return good;
  }
  return config.to_jump_relu.empty() ? Done{}
                                     : trainers::check_writable("thresholds", config.to_jump_relu);
}

at::Tensor numbers(const std::vector<std::int64_t>& values, at::Device device) {
  return at::tensor(values, at::kLong).to(device);
}

// Returns the number of parameters of the whole model: every rank holds the decoders' biases.
std::int64_t all_parameters(const Config& config, const Ranks& ranks, std::int64_t own,
                            at::Device device) {
  if (!ranks.by_features()) return own;
  const std::int64_t biases = config.layers * config.d_model;
  const at::Tensor sum = numbers({own - biases}, device);
  ranks.comm().all_reduce(sum, trainers::Reduction::sum);
  return sum.item<std::int64_t>() + biases;
}

// Parts that were written together say the same.
Status check_parts(const Config& config, const Ranks& ranks, const ReadCheckpoint& own,
                   at::Device device) {
  const at::Tensor all = ranks.comm().all_gather(numbers({own.step, own.set}, device)).cpu();
  const auto* first = all.const_data_ptr<std::int64_t>();
  for (int rank = 1; rank < ranks.comm().size(); ++rank) {
    const std::int64_t* of = first + std::ptrdiff_t{2} * rank;
    if (of[0] != first[0])
      return bad_input(fmt::format(
          "checkpoint {}: rank 0's part was written behind step {}, rank {}'s behind step {}",
          config.resume, first[0], rank, of[0]));
    if (of[1] != first[1])
      return bad_input(
          fmt::format("checkpoint {}: the parts of ranks 0 and {} were not written together",
                      config.resume, rank));
  }
  return Done{};
}

// 0 at a start.
Result<std::int64_t> steps_made(const Config& config, Trainer& trainer, const Ranks& ranks,
                                at::Device device) {
  if (config.resume.empty()) return std::int64_t{0};
  const Result<ReadCheckpoint> read =
      read_part(config.resume, config, trainer.state(), part_of(ranks));
  if (!read) return read.error();
  if (const Status whole = check_parts(config, ranks, *read, device); !whole) return whole.error();
  const bool converts = read->step == config.steps && !config.to_jump_relu.empty();
  if (read->step >= config.steps && !converts)
    return bad_input(
        fmt::format("checkpoint {}: {} steps were made already; --steps {} asks for no more",
                    config.resume, read->step, config.steps));
  trainer.resume_at(read->step);
  return read->step;
}

Status keep_checkpoint(const Config& config, Trainer& trainer, const Ranks& ranks,
                       at::Device device, std::int64_t made) {
  const bool due =
      made == config.steps || (config.checkpoint_every > 0 && made % config.checkpoint_every == 0);
  if (config.checkpoint.empty() || !due) return Done{};
  CheckpointPart part = part_of(ranks);
  const at::Tensor set = numbers({static_cast<std::int64_t>(std::random_device()())}, device);
  ranks.comm().broadcast(set, 0);
  part.set = set.item<std::int64_t>();
  if (writes(ranks)) {
    if (Status kept = write_checkpoint(config.checkpoint, config, trainer.state(), made, part);
        !kept)
      return kept;
  }
  ranks.comm().barrier();
  return Done{};
}

// Does nothing unless a file for the thresholds is named.
Status convert_at_end(const Config& config, Trainer& trainer, const Say& say, RunResult& result) {
  if (config.to_jump_relu.empty()) return Done{};
  const auto phase = stepscope::phase("convert");
  Result<Conversion> conversion = convert(config, trainer);
  if (!conversion) return conversion.error();
  say(summary(*conversion));
  result.conversion = *conversion;
  return write_thresholds(config.to_jump_relu, config, *conversion, config.steps);
}

// If another rank has failed, this loss means nothing: then the barrier throws, and names that
// rank.
Error not_finite(std::int64_t step, double loss, const Ranks& ranks) {
  ranks.comm().barrier();
  return bad_input(fmt::format("step {}: the loss is {}; try a smaller --lr", step, loss));
}

Result<RunResult> train(const Config& wished, const trainers::RankStart& start,
                        trainers::Comm& comm) {
  const at::Device device = start.device;
  const Say& say = start.say;
  Config config = wished;
  const Ranks ranks(config, comm);
  if (const Status writable = check_outputs(config, ranks); !writable) return writable.error();
  auto store = open_activations(config, device, ranks.rows());
  if (!store) return store.error();
  if (const Status same = check_same_activations(config, comm, **store); !same) return same.error();
  if (!(*store)->about().empty()) say((*store)->about());
  config.rows = (*store)->rows();

  RunResult result{.device = device.str(), .rank = comm.rank(), .ranks = comm.size()};
  result.steps = config.steps;
  result.rows = config.rows;
  const std::unique_ptr<Trainer> trainer = make_training(config, device, std::move(*store), &comm);
  result.parameters = all_parameters(config, ranks, trainer->parameter_count(), device);
  say(fmt::format("clt {} on {}: {} parameters, {} steps", config.variant, result.device,
                  result.parameters, config.steps));

  const Result<std::int64_t> made = steps_made(config, *trainer, ranks, device);
  if (!made) return made.error();
  result.resumed_from = *made;
  if (!config.resume.empty())
    say(fmt::format("resumed behind step {} of {}", *made, config.resume));

  const Clock::time_point begin = Clock::now();
  trainers::StepClock clock(device, *made, config.steps, config.warm_up);
  bool any_loss = false;
  for (std::int64_t index = *made; index < config.steps; ++index) {
    clock.before_step(index);
    const Result<StepResult> step = marked_step(*trainer, *start.slow, index);
    if (!step) return step.error();
    if (step->losses) {
      const double loss = step->losses->total;
      if (!std::isfinite(loss)) return not_finite(index + 1, loss, ranks);
      if (!std::exchange(any_loss, true)) result.first_loss = loss;
      result.last_loss = loss;
      if (reads_late(config, index)) result.losses.push_back(loss);
    }
    if (step->metrics)
      result.metrics = *step->metrics, result.evaluated = true,
      say(progress_line(config, index, *step));
    if (const Status kept = keep_checkpoint(config, *trainer, ranks, device, index + 1); !kept)
      return kept.error();
  }
  const trainers::TimedSteps timed = clock.finish();
  result.wall_s = seconds_since(begin);
  result.timed_steps = timed.steps;
  if (timed.steps > 0) result.ms_per_step = timed.ms_per_step();
  if (const Status converted = convert_at_end(config, *trainer, say, result); !converted)
    return converted.error();
  return result;
}

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

Result<RunResult> run(const Config& config, const Say& say) {
  const trainers::RankChecks checks{
      .ranks = [&config](int ranks) { return check_ranks(config, ranks); },
      .device = [&config](const trainers::RankStart& start) -> Status {
        at::globalContext().setAllowTF32CuBLAS(config.tf32);
        return check_device(config, start.device, start.place.size);
      }};
  return trainers::run_as_rank<RunResult>(
      {config.nproc, config.rank_timeout_s, config.threads, config.device, config.slow}, say,
      checks,
      [](const std::string& what) {
        return bad_input("out of memory: lower --features or --batch; " + what);
      },
      [&config](const trainers::RankStart& start, trainers::Comm& group) {
        return train(config, start, group);
      });
}

std::string to_json(const Config& config, const RunResult& result) {
  nlohmann::ordered_json json{{"schema", "stepscope.train/1"},
                              {"model", "clt"},
                              {"variant", config.variant},
                              {"rung", all_switches().title_of(config.fixes)},
                              {"rungs", names_of(config.fixes)},
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
                              {"ranks", result.ranks},
                              {"parallel", name_of(config.parallel)},
                              {"parameters", result.parameters},
                              {"steps", result.steps},
                              {"resumed_from", result.resumed_from},
                              {"tokens_a_step", config.batch},
                              {"timed_steps", result.timed_steps},
                              {"wall_s", result.wall_s},
                              {"ms_per_step", result.ms_per_step},
                              {"loss", {{"first", result.first_loss}, {"last", result.last_loss}}},
                              {"losses", result.losses}};
  if (result.evaluated) {
    json["metrics"] = {{"nmse", result.metrics.nmse},
                       {"explained_variance", result.metrics.explained_variance},
                       {"l0", result.metrics.l0},
                       {"log_density", result.metrics.log_density},
                       {"dead", result.metrics.dead}};
  }
  if (result.ms_per_step > 0)
    json["tokens_per_s"] = 1e3 * static_cast<double>(config.batch) / result.ms_per_step;
  if (result.conversion) json["jumprelu"] = to_json(config, *result.conversion);
  if (!config.data.empty()) json["config"]["data"] = config.data;
  // A path may hold any bytes.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace stepscope::clt
