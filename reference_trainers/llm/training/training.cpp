// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/training/training.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include <stepscope/annotate.hpp>

#include "reference_trainers/common/autocast.hpp"

namespace stepscope::llm {

namespace {

constexpr std::int64_t kMegabyte = 1 << 20;

std::vector<trainers::BucketedWeight> bucketed(const std::vector<Parameter>& parameters) {
  std::vector<trainers::BucketedWeight> out;
  for (const Parameter& parameter : parameters) out.push_back({parameter.leaf, parameter.decays});
  return out;
}

}  // namespace

Training::Training(const Config& config, at::Device device, trainers::Comm* group)
    : config_(config), device_(device), group_(group), model_(config, device) {
  if (group_ == nullptr || group_->size() == 1) {
    optimizer_ = make_adamw(model_.parameters(), config);
    return;
  }
  using Sums = GradientBuckets::Sums;
  buckets_ = std::make_unique<GradientBuckets>(bucketed(model_.parameters()), *group_,
                                               config.bucket_mb * kMegabyte,
                                               config.zero ? Sums::own_share : Sums::on_every_rank);
  if (config.zero) {
    shards_ = std::make_unique<WeightShards>(model_.parameters(), *buckets_, *group_);
    optimizer_ = make_adamw(shards_->own(), config);
    optimizer_->sum_norms_by(
        [this](const at::Tensor& square) { group_->all_reduce(square, trainers::Reduction::sum); });
  } else {
    optimizer_ = make_adamw(model_.parameters(), config);
  }
}

NamedTensors Training::with_scales(NamedTensors state) const {
  if (model_.fp8() == nullptr) return state;
  const NamedTensors scales = model_.fp8()->state();
  state.insert(state.end(), scales.begin(), scales.end());
  return state;
}

NamedTensors Training::state() const {
  if (buckets_ && model_.fp8() != nullptr) model_.fp8()->agree(greatest_of_ranks());
  return with_scales(shards_ ? shards_->whole(optimizer_->state()) : optimizer_->state());
}

Result<std::int64_t> Training::restore(
    const std::function<Result<std::int64_t>(const NamedTensors&)>& read) const {
  const NamedTensors places =
      with_scales(shards_ ? shards_->whole_places(optimizer_->state()) : optimizer_->state());
  const Result<std::int64_t> made = read(places);
  if (made && shards_) shards_->take(places, optimizer_->state());
  if (made && model_.fp8() != nullptr) model_.fp8()->restored();
  return made;
}

void Training::zero_gradients() {
  buckets_ ? buckets_->zero() : optimizer_->zero_gradients();
}

void Training::begin_at(std::int64_t first_step, std::unique_ptr<BatchFeed> feed) {
  optimizer_->resume_at(first_step);
  if (shards_) shards_->gather();
  feed_ = std::move(feed);
  unread_ = first_step;
}

void Training::begin_step() {
  if (model_.fp8() == nullptr) return;
  const auto phase = stepscope::phase("quantise");
  model_.begin_step(greatest_of_ranks());
}

std::function<void(const at::Tensor&)> Training::greatest_of_ranks() const {
  if (!buckets_) return {};
  return
      [this](const at::Tensor& numbers) { group_->all_reduce(numbers, trainers::Reduction::max); };
}

Result<std::vector<Batch>> Training::next_batches() {
  const auto phase = stepscope::phase("data");
  std::vector<Batch> batches;
  for (std::int64_t i = 0; i < config_.accumulate; ++i) {
    Result<Batch> batch = feed_->next();
    if (!batch) return batch.error();
    batches.push_back(std::move(*batch));
  }
  return batches;
}

Training::Numbers Training::train_on(const std::vector<Batch>& batches) {
  zero_gradients();
  begin_step();
  at::Tensor sum;
  const double share = 1 / static_cast<double>(config_.micro_batches_a_step());
  for (const Batch& batch : batches) {
    at::Tensor loss;
    if (buckets_ && &batch == &batches.back()) buckets_->expect_last();
    {
      const auto phase = stepscope::phase("forward");
      const trainers::Autocast autocast(config_.rungs.bf16 && !config_.rungs.bf16_weights, device_);
      loss = model_.loss(batch.inputs, batch.targets, share, batch.positions);
    }
    const auto phase = stepscope::phase("backward");
    loss.backward();
    sum = sum.defined() ? sum + loss.detach() : loss.detach();
  }
  if (buckets_) buckets_->finish();
  const at::Tensor norm = optimizer_->clip_and_step();
  if (shards_) shards_->gather();
  return {sum, norm};
}

// The first call records; the numbers are copied out before the next launch overwrites them.
Training::Numbers Training::launch_graph(const std::vector<Batch>& batches) {
  const auto phase = stepscope::phase("graph");
  if (graph_ == nullptr) {
    for (const Batch& batch : batches)
      in_graph_.push_back({batch.inputs.clone(), batch.targets.clone(),
                           batch.positions.defined() ? batch.positions.clone() : at::Tensor()});
    graph_ = trainers::make_step_graph();
    graph_->record([this] { of_graph_ = train_on(in_graph_); });
  }
  for (std::size_t i = 0; i < batches.size(); ++i) {
    in_graph_[i].inputs.copy_(batches[i].inputs);
    in_graph_[i].targets.copy_(batches[i].targets);
    if (batches[i].positions.defined()) in_graph_[i].positions.copy_(batches[i].positions);
  }
  graph_->launch();
  return {of_graph_.loss.clone(), of_graph_.norm.clone()};
}

Result<std::vector<StepLog>> Training::step(std::int64_t index) {
  // Steps that make what lasts (cuBLAS's memory, plans of cuDNN) before one is recorded.
  constexpr std::int64_t kPlainSteps = 3;
  const Result<std::vector<Batch>> batches = next_batches();
  if (!batches) return batches.error();
  optimizer_->set_learning_rate(learning_rate_of(config_, index));
  const bool graph = config_.rungs.cuda_graph && device_.is_cuda() && ++plain_steps_ > kPlainSteps;
  const Numbers numbers = graph ? launch_graph(*batches) : train_on(*batches);
  const auto phase = stepscope::phase("log");
  noted_.push_back(numbers.loss);
  noted_.push_back(numbers.norm);
  if (config_.rungs.fused_adamw && !logs(config_, index)) return std::vector<StepLog>{};
  return read_log(index);
}

void Training::sum_losses() {
  if (!buckets_) return;
  std::vector<at::Tensor> losses;
  for (std::size_t i = 0; i < noted_.size(); i += 2) losses.push_back(noted_[i]);
  const at::Tensor all = at::stack(losses);
  group_->all_reduce(all, trainers::Reduction::sum);
  for (std::size_t i = 0; i < losses.size(); ++i) noted_[2 * i] = all[static_cast<std::int64_t>(i)];
}

std::vector<StepLog> Training::read_log(std::int64_t index) {
  std::vector<StepLog> out;
  sum_losses();
  if (!config_.rungs.fused_adamw) {
    out.push_back({index, noted_[0].item<double>(), noted_[1].item<double>()});
  } else {
    const at::Tensor all = at::stack(noted_).cpu();
    const auto* number = all.const_data_ptr<float>();
    for (std::int64_t step = unread_; step <= index; ++step, number += 2)
      out.push_back({step, number[0], number[1]});
  }
  unread_ = index + 1;
  noted_.clear();
  return out;
}

}  // namespace stepscope::llm
