// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/run.hpp"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <cmath>
#include <stepscope/annotate.hpp>

#include "reference_trainers/common/device_memory.hpp"
#include "reference_trainers/common/program/rank_run.hpp"
#include "reference_trainers/common/step_graph.hpp"
#include "reference_trainers/common/tensor_file.hpp"
#include "reference_trainers/polychromic/data/sequences.hpp"

namespace stepscope::polychromic {
namespace {

Error out_of_memory(const Config& config, const std::string& what) {
  return bad_input(
      fmt::format("out of memory with {} sequences and {} prompts of {} replies a step: lower "
                  "--batch, --prompts or --replies; {}",
                  config.batch, config.prompts, config.replies, what));
}

Error not_finite(const Config& config, const at::Tensor& sequences, std::int64_t index,
                 double loss) {
  const std::string path = fmt::format("train_polychromic.step{}.pt", index + 1);
  const Status kept = write_sequences(path, batch_of(sequences, config, index).cpu());
  return bad_input(fmt::format(
      "step {}: the loss is {}; its batch {}; try a smaller --lr or --diversity-weight", index + 1,
      loss, kept ? "is kept in " + path : "could not be kept: " + kept.error().message));
}

std::string progress_of(const Config& config, std::int64_t index, const StepNumbers& step,
                        const trainers::TimedSteps& timed) {
  std::string out = fmt::format("step {:>5}/{}  loss {:.4f}  diversity {:.4f}", index + 1,
                                config.steps, step.language, step.diversity);
  const std::int64_t left = config.steps - index - 1;
  if (timed.steps == 0 || left == 0) return out;
  return out +
         fmt::format("  {:.1f} ms a step  {}", timed.ms_per_step(),
                     trainers::time_left(1e-3 * timed.ms_per_step() * static_cast<double>(left)));
}

bool prints(const Config& config, std::int64_t index) {
  return index == 0 || index + 1 == config.steps ||
         (config.log_every > 0 && (index + 1) % config.log_every == 0);
}

std::vector<StepNumbers> marked_step(Training& training, const Config& config,
                                     const at::Tensor& sequences, std::int64_t index,
                                     Stopwatches* watches) {
  const auto mark = stepscope::step_range(static_cast<std::uint64_t>(index));
  const at::Tensor batch = [&] {
    const auto phase = stepscope::phase("data");
    return batch_of(sequences, config, index);
  }();
  return training.step(index, batch, prints(config, index), watches);
}

std::vector<std::vector<std::int64_t>> rows_on_host(const at::Tensor& tokens) {
  const at::Tensor host = tokens.cpu();
  std::vector<std::vector<std::int64_t>> out;
  for (const at::Tensor& row : host.unbind(0)) {
    const auto* const begin = row.const_data_ptr<std::int64_t>();
    out.emplace_back(begin, begin + row.numel());
  }
  return out;
}

Result<RunResult> train_on(const Config& config, at::Device device, const Say& say) {
  const trainers::OwnStream own_stream(config.fixes.decode_graph, device);
  const Result<at::Tensor> opened = open_sequences(config);
  if (!opened) return opened.error();
  const at::Tensor sequences = opened->to(device);
  Training training(config, device);
  RunResult result{.device = device.str(),
                   .parameters = training.decoder().parameters(),
                   .bytes_of_pass = training.generating_decoder().bytes_of_pass()};
  say(
      fmt::format("polychromic {} with {} on {}: {} parameters, {} sequences and {} x {} replies a "
                  "step",
                  config.preset, all_fixes().title_of(config.fixes), result.device,
                  result.parameters, config.batch, config.prompts, config.replies));
  trainers::StepClock clock(device, 0, config.steps, config.warm_up);
  Stopwatches watches(device);
  for (std::int64_t index = 0; index < config.steps; ++index) {
    clock.before_step(index);
    const std::vector<StepNumbers> read =
        marked_step(training, config, sequences, index, clock.times(index) ? &watches : nullptr);
    if (index == 0) result.first_replies = rows_on_host(training.replies());
    for (const StepNumbers& step : read) {
      const auto of = static_cast<std::int64_t>(result.steps.size());
      if (!std::isfinite(step.loss)) return not_finite(config, sequences, of, step.loss);
      result.steps.push_back(step);
    }
    if (!read.empty()) say(progress_of(config, index, read.back(), clock.so_far(index + 1)));
  }
  result.timed = clock.finish();
  result.generate_ms = watches.generate.mean_ms();
  result.encode_ms = watches.encode.mean_ms();
  result.diversity_ms = watches.diversity.mean_ms();
  result.peak_bytes = trainers::peak_device_bytes(device);
  return result;
}

}  // namespace

Result<RunResult> run(const Config& config, const Say& say) {
  const trainers::RankChecks checks{
      .ranks = [](int ranks) -> Status {
        if (ranks == 1) return Done{};
        return usage_error(fmt::format(
            "a launcher says that there are {} ranks; polychromic is trained by one process",
            ranks));
      },
      .device = [&config](const trainers::RankStart&) -> Status {
        at::globalContext().setAllowTF32CuBLAS(config.tf32);
        return Done{};
      }};
  return trainers::run_as_rank<RunResult>(
      config.machine, say, checks,
      [&config](const std::string& what) { return out_of_memory(config, what); },
      [&config](const trainers::RankStart& start, trainers::Comm&) {
        return train_on(config, start.device, start.say);
      });
}

}  // namespace stepscope::polychromic
