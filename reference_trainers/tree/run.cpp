// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/tree/run.hpp"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <stepscope/annotate.hpp>

#include "reference_trainers/common/device_memory.hpp"
#include "reference_trainers/common/program/rank_run.hpp"
#include "reference_trainers/common/tensor_file.hpp"
#include "reference_trainers/tree/training.hpp"

namespace stepscope::tree {
namespace {

using Clock = std::chrono::steady_clock;

Error out_of_memory(const Config& config, const std::string& what) {
  return bad_input(
      fmt::format("out of memory with {} sequences of {} tokens a step: lower --batch, "
                  "or train --without eval_batch; {}",
                  config.sequences_a_step(), config.shape.sequence, what));
}

Error not_finite(const Sequences& sequences, std::int64_t index, double loss) {
  const std::string path = fmt::format("train_tree.step{}.pt", index + 1);
  trainers::Dictionary all = trainers::empty_dictionary();
  all.insert("leaf", sequences.leaf_of(index));
  all.insert("sequences", sequences.batch_of(index, false));
  const Status kept = trainers::write_tensor_file("batch", path, all);
  return bad_input(fmt::format(
      "step {}: the loss is {}; its batch {}; try a smaller --lr, or "
      "--with clipping",
      index + 1, loss, kept ? "is kept in " + path : "could not be kept: " + kept.error().message));
}

// The speed that a line shows: since the last line, or as the baseline does since the start.
class Speed {
 public:
  explicit Speed(bool recent) : recent_(recent) {}

  std::string at(std::int64_t steps) {
    const double rate = static_cast<double>(steps - steps_) /
                        std::chrono::duration<double>(Clock::now() - begin_).count();
    if (recent_) steps_ = steps, begin_ = Clock::now();
    return fmt::format("{:.1f} steps/s {}", rate, recent_ ? "since the last line" : "in all");
  }

 private:
  const bool recent_;
  std::int64_t steps_ = 0;
  Clock::time_point begin_ = Clock::now();
};

Result<std::vector<double>> marked_step(Training& training, const Sequences& sequences,
                                        BatchFeed& feed, std::int64_t index, double* eval_loss) {
  const auto mark = stepscope::step_range(static_cast<std::uint64_t>(index));
  Result<at::Tensor> batch = [&] {
    const auto phase = stepscope::phase("data");
    return feed.next();
  }();
  if (!batch) return batch.error();
  std::vector<double> losses = training.step(index, sequences.leaf_of(index), *batch);
  if (eval_loss != nullptr) *eval_loss = training.evaluate(sequences);
  return losses;
}

Result<RunResult> train_on(const Config& config, at::Device device, const Say& say) {
  const trainers::OwnStream own_stream(config.fixes.cuda_graph, device);
  const Sequences sequences(config);
  Training training(config, device);
  BatchFeed feed(config, sequences, device);
  RunResult result{.device = device.str(), .parameters = training.model().parameters()};
  say(fmt::format("tree {} with {} on {}: {} parameters, {} steps of {} tokens", config.preset,
                  all_fixes().title_of(config.fixes), result.device, result.parameters,
                  config.steps, config.tokens_a_step()));
  trainers::StepClock clock(device, 0, config.steps, config.warm_up);
  Speed speed(config.fixes.recent_speed);
  for (std::int64_t index = 0; index < config.steps; ++index) {
    clock.before_step(index);
    double eval_loss = 0;
    const bool evaluated = evaluates(config, index);
    const auto read =
        marked_step(training, sequences, feed, index, evaluated ? &eval_loss : nullptr);
    if (!read) return read.error();
    for (const double loss : *read) {
      const auto of = static_cast<std::int64_t>(result.losses.size());
      if (!std::isfinite(loss)) return not_finite(sequences, of, loss);
      result.losses.push_back(loss);
    }
    if (evaluated) {
      result.eval_losses.push_back(eval_loss);
      say(fmt::format("step {:>5}/{}  held out {:.4f}", index + 1, config.steps, eval_loss));
    }
    if (logs(config, index))
      say(fmt::format("step {:>5}/{}  loss {:.4f}  {}", index + 1, config.steps,
                      result.losses.back(), speed.at(index + 1)));
  }
  result.timed = clock.finish();
  result.peak_bytes = trainers::peak_device_bytes(device);
  return result;
}

}  // namespace

Result<RunResult> run(const Config& config, const Say& say) {
  const trainers::RankChecks checks{
      .ranks = [](int ranks) -> Status {
        if (ranks == 1) return Done{};
        return usage_error(fmt::format(
            "a launcher says that there are {} ranks; the tree is trained by one process", ranks));
      },
      .device = [&config](const trainers::RankStart& start) -> Status {
        at::Context& context = at::globalContext();
        context.setAllowTF32CuBLAS(config.tf32);
        context.setBenchmarkCuDNN(config.fixes.cudnn_benchmark && start.device.is_cuda());
        return Done{};
      }};
  return trainers::run_as_rank<RunResult>(
      config.machine, say, checks,
      [&config](const std::string& what) { return out_of_memory(config, what); },
      [&config](const trainers::RankStart& start, trainers::Comm&) {
        return train_on(config, start.device, start.say);
      });
}

}  // namespace stepscope::tree
