// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stepscope/annotate.hpp>
#include <utility>

#include "core/support/memory_limit.hpp"
#include "reference_trainers/common/device_memory.hpp"
#include "reference_trainers/common/program/rank_run.hpp"
#include "reference_trainers/common/tensor_file.hpp"
#include "reference_trainers/llm/data/corpus.hpp"
#include "reference_trainers/llm/model/precision.hpp"
#include "reference_trainers/llm/training/checkpoint.hpp"
#include "reference_trainers/llm/training/loss_file.hpp"

namespace stepscope::llm {
namespace {

// The batch of a step as a token shard, so that it can be looked at and trained on alone.
Result<std::string> keep_batch(const Config& config, TokenStream stream, std::int64_t index) {
  std::vector<std::uint16_t> tokens;
  const std::int64_t count = config.micro_batches_a_step();
  for (std::int64_t i = 0; i < count; ++i) {
    const Result<at::Tensor> batch = read_batch(config, stream, index * count + i, false);
    if (!batch) return batch.error();
    const auto* token = batch->const_data_ptr<std::int64_t>();
    for (std::int64_t t = 0; t < (*batch)[0].numel(); ++t)
      tokens.push_back(static_cast<std::uint16_t>(token[t]));
  }
  const std::string path = fmt::format("train_llm.step{}.bin", index + 1);
  if (const Status written = write_shard(path, tokens); !written) return written.error();
  return path;
}

// Makes the error of a loss that is not finite. What a failed rank left behind is no loss: then the
// barrier throws, and names the rank.
Error not_finite_at(const Config& config, const TokenStream& stream, trainers::Comm& group,
                    const StepLog& step) {
  group.barrier();
  if (config.rank != 0) return bad_input("rank 0 says why");
  const Result<std::string> kept = keep_batch(config, stream, step.index);
  return bad_input(fmt::format(
      "step {}: the loss is {}, the gradient's norm {} (rungs {}, learning rate {:.2e}); its batch "
      "{}; try a smaller --lr, or go on from a checkpoint before it",
      step.index + 1, step.loss, step.gradient_norm, title_of(config.rungs),
      learning_rate_of(config, step.index),
      kept ? fmt::format("is kept in {} ({} sequences of {} tokens)", *kept,
                         config.sequences_a_step(), config.sequence + 1)
           : "could not be kept: " + kept.error().message));
}

Error out_of_memory(const Config& config, const std::string& what) {
  const double scores = 4.0 * static_cast<double>(config.micro_batch * config.shape.heads) *
                        static_cast<double>(config.sequence * config.sequence);
  const std::string attention =
      config.rungs.sdpa
          ? ""
          : fmt::format(" (attention's scores alone are {:.1f} GB a layer; --with sdpa keeps none)",
                        1e-9 * scores);
  return bad_input(
      fmt::format("out of memory at rungs {}{}: halve --micro-batch (now {}) and double "
                  "--accumulate (now {}), which trains the same; {}",
                  title_of(config.rungs), attention, config.micro_batch, config.accumulate, what));
}

// A CPU's memory is promised to whoever asks: too large a step would be killed without a word.
Status check_memory(const Config& config, at::Device device) {
  const auto limit = static_cast<double>(memory_limit_bytes());
  if (!device.is_cpu() || config.least_bytes() < limit) return Done{};
  return out_of_memory(config,
                       fmt::format("a step takes at least {:.3g} GB, and this machine gives {:.3g}",
                                   1e-9 * config.least_bytes(), 1e-9 * limit));
}

double mfu_of(const Config& config, double tokens_per_s) {
  if (config.peak_tflops <= 0) return 0;
  return tokens_per_s * config.flops_a_token() / (1e12 * config.peak_tflops * config.ranks);
}

// Rate and what follows from it are left out where no step was timed yet.
std::string progress_of(const Config& config, const StepLog& step, double tokens_per_s,
                        bool with_mfu) {
  std::string out = fmt::format("step {:>5}/{}  loss {:.4f}  gradient {:.3f}  lr {:.2e}",
                                step.index + 1, config.steps, step.loss, step.gradient_norm,
                                learning_rate_of(config, step.index));
  if (tokens_per_s <= 0) return out;
  out += fmt::format("  {:.0f} tokens/s", tokens_per_s);
  if (with_mfu) out += fmt::format("  MFU {:.1f} %", 100 * mfu_of(config, tokens_per_s));
  const auto left = static_cast<double>((config.steps - step.index - 1) * config.tokens_a_step());
  return left > 0 ? out + "  " + trainers::time_left(left / tokens_per_s) : out;
}

// Every rank comes: the state may be spread over them.
Status save_where_due(const Config& config, const Training& training, trainers::Comm& group,
                      std::int64_t made) {
  const bool due =
      made == config.steps || (config.checkpoint_every > 0 && made % config.checkpoint_every == 0);
  if (config.checkpoint.empty() || !due) return Done{};
  const NamedTensors state = training.state();
  if (config.rank == 0) {
    if (const Status kept = write_checkpoint(config.checkpoint, config, state, made); !kept)
      return kept;
  }
  group.barrier();
  return Done{};
}

Result<std::int64_t> steps_before(const Config& config, const Training& training) {
  if (config.resume.empty()) return std::int64_t{0};
  Result<std::int64_t> made = training.restore([&config](const NamedTensors& state) {
    return read_checkpoint(config.resume, config, state);
  });
  if (made && *made >= config.steps)
    return bad_input(
        fmt::format("checkpoint {}: {} steps were made already; --steps {} asks for no more",
                    config.resume, *made, config.steps));
  return made;
}

Result<std::vector<StepLog>> step_under_mark(Training& training, const trainers::SlowWork& slow,
                                             std::int64_t index) {
  const auto mark = stepscope::step_range(static_cast<std::uint64_t>(index));
  slow.in_step();
  return training.step(index);
}

Result<RunResult> train_on(const Config& config, const trainers::RankStart& start,
                           trainers::Comm& group) {
  const at::Device device = start.device;
  const Say& say = start.say;
  if (const Status fits = check_memory(config, device); !fits) return fits.error();
  if (!config.checkpoint.empty() && config.rank == 0) {
    if (const Status good = trainers::check_writable("checkpoint", config.checkpoint); !good)
      return good.error();
  }
  const Result<Corpus> corpus = open_corpus(config);
  if (!corpus) return corpus.error();
  say(corpus->about);
  const trainers::OwnStream own_stream(config.rungs.cuda_graph, device);
  Training training(config, device, &group);
  const Result<std::int64_t> first = steps_before(config, training);
  if (!first) return first.error();
  if (*first > 0) say(fmt::format("resumed behind step {} of {}", *first, config.resume));
  Result<LossFile> losses = LossFile::open(config.rank == 0 ? config.log : "", *first);
  if (!losses) return losses.error();
  training.begin_at(*first, make_feed(config, corpus->stream, device, *first));

  RunResult result{.device = device.str(),
                   .rank = config.rank,
                   .ranks = config.ranks,
                   .parameters = config.shape.parameters()};
  result.resumed_from = *first;
  say(fmt::format("llm {} at rungs {} on {}{}: {} parameters, {} steps of {} tokens", config.preset,
                  title_of(config.rungs), result.device,
                  config.ranks > 1 ? fmt::format(" and {} more ranks", config.ranks - 1) : "",
                  result.parameters, config.steps, config.tokens_a_step()));
  trainers::StepClock clock(device, *first, config.steps, config.warm_up);
  const auto tokens = static_cast<double>(config.tokens_a_step());
  for (std::int64_t index = *first; index < config.steps; ++index) {
    clock.before_step(index);
    const Result<std::vector<StepLog>> read = step_under_mark(training, *start.slow, index);
    if (!read) return read.error();
    for (const StepLog& step : *read) {
      if (!std::isfinite(step.loss) || !std::isfinite(step.gradient_norm))
        return not_finite_at(config, corpus->stream, group, step);
      result.log.push_back(step);
    }
    if (const Status kept = losses->add(config, *read); !kept) return kept.error();
    if (logs(config, index) && !read->empty())
      say(progress_of(config, read->back(), clock.so_far(index + 1).rate(tokens),
                      device.is_cuda()));
    if (const Status kept = save_where_due(config, training, group, index + 1); !kept)
      return kept.error();
  }
  result.timed = clock.finish();
  result.peak_bytes = trainers::peak_device_bytes(device);
  return result;
}

}  // namespace

double RunResult::tokens_per_s(const Config& config) const {
  return timed.rate(static_cast<double>(config.tokens_a_step()));
}

double RunResult::mfu(const Config& config) const {
  return device.starts_with("cuda") ? mfu_of(config, tokens_per_s(config)) : 0;
}

Result<RunResult> run(const Config& wished, const Say& say) {
  Config config = wished;
  const trainers::RankChecks checks{
      .ranks = [&config](int ranks) -> Status {
        config.ranks = ranks;
        return check(config);
      },
      .device = [&config](const trainers::RankStart& start) -> Status {
        config.rank = start.place.rank;
        apply_to_process(config.rungs, start.device, config.documents.treat != Documents::ignored);
        return Done{};
      }};
  return trainers::run_as_rank<RunResult>(
      {config.nproc, config.rank_timeout_s, config.threads, config.device, config.slow}, say,
      checks, [&config](const std::string& what) { return out_of_memory(config, what); },
      [&config](const trainers::RankStart& start, trainers::Comm& group) {
        return train_on(config, start, group);
      });
}

}  // namespace stepscope::llm
