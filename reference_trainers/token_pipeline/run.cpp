// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/run.hpp"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <cmath>
#include <stepscope/annotate.hpp>

#include "core/support/memory_limit.hpp"
#include "reference_trainers/common/device_memory.hpp"
#include "reference_trainers/common/program/rank_run.hpp"
#include "reference_trainers/common/tensor_file.hpp"
#include "reference_trainers/token_pipeline/data/batch_feed.hpp"

namespace stepscope::token_pipeline {
namespace {

Error out_of_memory(const Config& config, const std::string& what) {
  return bad_input(
      fmt::format("out of memory with {} samples a step of each rank and {} workers, "
                  "each with a copy of the data: lower --batch or --workers; {}",
                  config.samples_of_rank(), config.worker_count(), what));
}

// A host's memory is promised to whoever asks: too large copies would be killed without a word.
Status check_memory(const Config& config) {
  const double needed = data_bytes(config) * static_cast<double>(config.worker_count() + 1);
  const auto limit = static_cast<double>(memory_limit_bytes());
  if (needed < limit) return Done{};
  return out_of_memory(config, fmt::format("the data and its copies take {:.3g} GB, and this "
                                           "machine gives {:.3g}",
                                           1e-9 * needed, 1e-9 * limit));
}

// This rank's batch of a step, for torch.load.
Status keep_batch(const std::string& path, const Batch& batch) {
  trainers::Dictionary all = trainers::empty_dictionary();
  all.insert("samples", batch.plan.samples);
  all.insert("numbers", batch.numbers);
  all.insert("features", batch.features);
  return trainers::write_tensor_file("batch", path, all);
}

// Makes the error of a loss that is not finite. What a failed rank left behind is no loss: then the
// barrier throws, and names the rank.
Error not_finite(trainers::Comm& group, BatchMaker maker, const StepLoss& step) {
  group.barrier();
  if (group.rank() != 0) return bad_input("rank 0 says why");
  const std::string path = fmt::format("train_token_pipeline.step{}.pt", step.index + 1);
  const Status kept = keep_batch(path, maker.make(step.index));
  return bad_input(
      fmt::format("step {}: the loss is {}; its batch {}; try a smaller --lr, and look "
                  "for features that are not finite",
                  step.index + 1, step.loss,
                  kept ? "is kept in " + path : "could not be kept: " + kept.error().message));
}

std::string progress_of(const Config& config, const StepLoss& step,
                        const trainers::TimedSteps& timed) {
  std::string out =
      fmt::format("step {:>5}/{}  loss {:.4f}", step.index + 1, config.steps, step.loss);
  if (timed.steps == 0) return out;
  out +=
      fmt::format("  {:.0f} samples/s", timed.rate(static_cast<double>(config.samples_a_step())));
  const std::int64_t left = config.steps - step.index - 1;
  if (left == 0) return out;
  return out + "  " + trainers::time_left(1e-3 * timed.ms_per_step() * static_cast<double>(left));
}

Result<std::vector<StepLoss>> marked_step(Training& training, BatchFeed& feed,
                                          const trainers::SlowWork& slow, std::int64_t index) {
  const auto mark = stepscope::step_range(static_cast<std::uint64_t>(index));
  slow.in_step();
  const Result<Batch> batch = feed.next();
  if (!batch) return batch.error();
  return training.step(index, *batch);
}

std::int64_t rows_of(const Regions& regions, const std::vector<std::int64_t>& samples) {
  std::int64_t rows = 0;
  for (const std::int64_t sample : samples) rows += regions.length_of(sample);
  return rows;
}

Result<RunResult> train_on(const Config& config, const trainers::RankStart& start,
                           trainers::Comm& group) {
  const at::Device device = start.device;
  const Say& say = start.say;
  if (const Status fits = check_memory(config); !fits) return fits.error();
  const Result<Regions> regions = open_regions(config);
  if (!regions) return regions.error();
  Result<SampleOrder> order = SampleOrder::make(config, *regions);
  if (!order) return order.error();
  Training training(config, device, group);
  BatchFeed feed(config, *regions, *order, device);

  RunResult result{.device = device.str(), .rank = config.rank, .ranks = config.ranks};
  result.parameters = training.parameters();
  result.samples_a_step = config.samples_a_step();
  say(fmt::format(
      "token_pipeline {} with {} on {}{}: {} parameters, {} samples in {} steps an "
      "epoch, {} workers a rank",
      config.preset, all_fixes().title_of(config.fixes), result.device,
      config.ranks > 1 ? fmt::format(" and {} more ranks", config.ranks - 1) : "",
      result.parameters, regions->samples(), order->steps_of_epoch(), config.worker_count()));
  trainers::StepClock clock(device, 0, config.steps, config.warm_up);
  std::int64_t timed_rows = 0;
  for (std::int64_t index = 0; index < config.steps; ++index) {
    clock.before_step(index);
    const auto read = marked_step(training, feed, *start.slow, index);
    if (!read) return read.error();
    for (const StepLoss& step : *read) {
      if (!std::isfinite(step.loss))
        return not_finite(group, BatchMaker(config, *regions, *order, false), step);
      result.losses.push_back(step);
    }
    if (!read->empty()) say(progress_of(config, read->back(), clock.so_far(index + 1)));
    if (clock.times(index)) timed_rows += rows_of(*regions, order->samples_of(index));
  }
  result.timed = clock.finish();
  result.tokens_a_step = static_cast<double>(timed_rows) / static_cast<double>(result.timed.steps);
  result.peak_bytes = trainers::peak_device_bytes(device);
  return result;
}

}  // namespace

Result<RunResult> run(const Config& wished, const Say& say) {
  Config config = wished;
  const trainers::RankChecks checks{
      .ranks = [&config](int ranks) -> Status {
        config.ranks = ranks;
        return Done{};
      },
      .device = [&config](const trainers::RankStart& start) -> Status {
        config.rank = start.place.rank;
        at::globalContext().setAllowTF32CuBLAS(config.tf32);
        return Done{};
      }};
  return trainers::run_as_rank<RunResult>(
      config.machine, say, checks,
      [&config](const std::string& what) { return out_of_memory(config, what); },
      [&config](const trainers::RankStart& start, trainers::Comm& group) {
        return train_on(config, start, group);
      });
}

}  // namespace stepscope::token_pipeline
