// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/tree/sequences.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>

#include <utility>

#include "reference_trainers/common/random.hpp"

namespace stepscope::tree {
namespace {

const at::TensorOptions kWhole(at::kLong);
constexpr std::size_t kAhead = 4;

}  // namespace

Sequences::Sequences(const Config& config) : config_(config) {
  at::Generator random =
      trainers::seeded_generator(config.seed, trainers::RandomStream::directions);
  std::vector<at::Tensor> tables;
  for (std::int64_t leaf = 0; leaf < config.shape.leaves(); ++leaf)
    tables.push_back(at::randperm(config.shape.vocabulary, random, kWhole));
  successors_ = at::stack(tables);
  for (std::int64_t leaf = 0; leaf < config.shape.leaves(); ++leaf)
    held_out_.push_back(
        draw(leaf, config.eval_sequences,
             trainers::seeded_generator(config.seed, trainers::RandomStream::held_out,
                                        static_cast<std::uint64_t>(leaf)),
             false));
}

std::int64_t Sequences::leaf_of(std::int64_t step) const {
  at::Generator random = trainers::seeded_generator(
      config_.seed, trainers::RandomStream::activations, static_cast<std::uint64_t>(step));
  return at::randint(config_.shape.leaves(), {1}, random, kWhole).item<std::int64_t>();
}

at::Tensor Sequences::draw(std::int64_t leaf, std::int64_t count, at::Generator random,
                           bool pinned) const {
  constexpr double kFollows = 0.9;
  const std::int64_t length = config_.shape.sequence + 1, vocabulary = config_.shape.vocabulary;
  at::Tensor all = at::empty({count, length}, kWhole.pinned_memory(pinned));
  const at::Tensor any = at::randint(vocabulary, {length, count}, random, kWhole);
  const at::Tensor follows = at::rand({length, count}, random).lt(kFollows);
  at::Tensor last = any[0];
  for (std::int64_t t = 0; t < length; ++t) {
    if (t > 0) last = at::where(follows[t], successors_[leaf].index_select(0, last), any[t]);
    all.select(1, t).copy_(last);
  }
  return all;
}

at::Tensor Sequences::batch_of(std::int64_t step, bool pinned) const {
  return draw(leaf_of(step), config_.sequences_a_step(),
              trainers::seeded_generator(config_.seed, trainers::RandomStream::batches,
                                         static_cast<std::uint64_t>(step)),
              pinned);
}

BatchFeed::BatchFeed(const Config& config, const Sequences& sequences, at::Device device)
    : sequences_(sequences), device_(device), copies_(device) {
  if (!config.fixes.prefetch) return;
  made_ = std::make_unique<trainers::ReadAhead<at::Tensor>>(
      kAhead, [&sequences, step = std::int64_t{0}, pinned = device.is_cuda()]() mutable {
        return Result<at::Tensor>(sequences.batch_of(step++, pinned));
      });
}

Result<at::Tensor> BatchFeed::next_ahead() {
  Result<at::Tensor> host = made_->next();
  if (!host) return host;
  const at::Tensor before = std::exchange(host_, *host);
  const auto now = std::exchange(coming_, copies_.begin(host_));
  return now ? copies_.end(*now) : next_ahead();
}

Result<at::Tensor> BatchFeed::next() {
  if (made_) return next_ahead();
  return sequences_.batch_of(next_++, false).to(device_);
}

}  // namespace stepscope::tree
