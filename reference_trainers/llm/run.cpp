// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/run.hpp"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stepscope/annotate.hpp>
#include <utility>

#include "core/support/memory_limit.hpp"
#include "reference_trainers/comm/group.hpp"
#include "reference_trainers/comm/rank_place.hpp"
#include "reference_trainers/common/first_line.hpp"
#include "reference_trainers/common/tensor_file.hpp"
#include "reference_trainers/llm/data/corpus.hpp"
#include "reference_trainers/llm/model/precision.hpp"
#include "reference_trainers/llm/training/checkpoint.hpp"
#include "reference_trainers/llm/training/device_memory.hpp"
#include "reference_trainers/llm/training/loss_file.hpp"

namespace stepscope::llm {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_from(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// "12 s left", "3 min 05 s left", "3 h 05 min left"
std::string time_left(double seconds) {
  const auto all = static_cast<std::int64_t>(std::ceil(seconds));
  if (all < 60) return fmt::format("{} s left", all);
  const std::int64_t hours = all / 3600, minutes = all / 60 % 60;
  return hours > 0 ? fmt::format("{} h {:02} min left", hours, minutes)
                   : fmt::format("{} min {:02} s left", minutes, all % 60);
}

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

// What a failed rank left behind is no loss: then the barrier throws, and names the rank.
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
  return left > 0 ? out + "  " + time_left(left / tokens_per_s) : out;
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

// Times the steps behind the warm-up, and holds the log.
class Progress {
 public:
  Progress(const Config& config, at::Device device, std::int64_t first)
      : config_(config), device_(device), begin_(Clock::now()) {
    const std::int64_t steps = config.steps - first;
    timed_from_ = first + (config.warm_up < steps ? config.warm_up : 0);
  }

  void before_step(std::int64_t index) {
    if (index != timed_from_) return;
    trainers::synchronize(device_);
    begin_ = Clock::now();
  }

  double rate(std::int64_t made) const {
    if (made <= timed_from_) return 0;
    return static_cast<double>((made - timed_from_) * config_.tokens_a_step()) /
           seconds_from(begin_);
  }

  void finish(RunResult& result) const {
    trainers::synchronize(device_);
    result.timed_s = seconds_from(begin_);
    result.timed_steps = config_.steps - timed_from_;
  }

 private:
  const Config& config_;
  const at::Device device_;
  std::int64_t timed_from_ = 0;
  Clock::time_point begin_;
};

Result<std::vector<StepLog>> step_under_mark(Training& training, std::int64_t index) {
  const auto mark = stepscope::step_range(static_cast<std::uint64_t>(index));
  return training.step(index);
}

Result<RunResult> train_on(const Config& config, at::Device device, trainers::Comm& group,
                           const Say& say) {
  if (const Status fits = check_memory(config, device); !fits) return fits.error();
  if (!config.checkpoint.empty() && config.rank == 0) {
    if (const Status good = trainers::check_writable("checkpoint", config.checkpoint); !good)
      return good.error();
  }
  const Result<Corpus> corpus = open_corpus(config);
  if (!corpus) return corpus.error();
  say(corpus->about);
  const OwnStream own_stream(config.rungs.cuda_graph, device);
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
  Progress progress(config, device, *first);
  for (std::int64_t index = *first; index < config.steps; ++index) {
    progress.before_step(index);
    const Result<std::vector<StepLog>> read = step_under_mark(training, index);
    if (!read) return read.error();
    for (const StepLog& step : *read) {
      if (!std::isfinite(step.loss) || !std::isfinite(step.gradient_norm))
        return not_finite_at(config, corpus->stream, group, step);
      result.log.push_back(step);
    }
    if (const Status kept = losses->add(config, *read); !kept) return kept.error();
    if (logs(config, index) && !read->empty())
      say(progress_of(config, read->back(), progress.rate(index + 1), device.is_cuda()));
    if (const Status kept = save_where_due(config, training, group, index + 1); !kept)
      return kept.error();
  }
  progress.finish(result);
  result.peak_bytes = peak_device_bytes(device);
  return result;
}

}  // namespace

double RunResult::ms_per_step() const {
  return timed_steps > 0 ? 1e3 * timed_s / static_cast<double>(timed_steps) : 0;
}

double RunResult::tokens_per_s(const Config& config) const {
  return timed_s > 0 ? static_cast<double>(timed_steps * config.tokens_a_step()) / timed_s : 0;
}

double RunResult::mfu(const Config& config) const {
  return device.starts_with("cuda") ? mfu_of(config, tokens_per_s(config)) : 0;
}

Result<RunResult> run(const Config& wished, const Say& say) {
  const auto place = trainers::rank_place(wished.nproc);
  if (!place) return place.error();
  Config config = wished;
  config.rank = place->rank;
  config.ranks = place->size;
  if (const Status fits = check(config); !fits) return fits.error();
  const Say say_once = config.rank == 0 ? say : [](const std::string&) {};
  const auto chosen = trainers::choose_device(config.device, place->local_rank);
  if (!chosen) return chosen.error();
  if (!chosen->note.empty()) say_once(chosen->note);
  if (config.threads > 0) at::set_num_threads(config.threads);
  apply_to_process(config.rungs, chosen->device, config.documents.treat != Documents::ignored);
  const auto group = trainers::join_group(place->environment, chosen->device,
                                          std::chrono::seconds(config.rank_timeout_s));
  if (!group) return group.error();
  return trainers::as_rank<RunResult>(**group, [&]() -> Result<RunResult> {
    try {
      return train_on(config, chosen->device, **group, say_once);
    } catch (const c10::OutOfMemoryError& error) {
      return out_of_memory(config, std::string("LibTorch says: ") + error.what_without_backtrace());
    } catch (const c10::Error& error) {  // as the CPU's allocator throws
      const std::string what = trainers::first_line(error);
      if (what.find("allocate memory") == std::string::npos) throw;
      return out_of_memory(config, "LibTorch says: " + what);
    } catch (const std::bad_alloc&) {
      return out_of_memory(config, "the host has no more memory");
    }
  });
}

}  // namespace stepscope::llm
