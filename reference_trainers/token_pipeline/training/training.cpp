// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/training/training.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include <stepscope/annotate.hpp>
#include <utility>

namespace stepscope::token_pipeline {

using trainers::Adam;
using trainers::GradientBuckets;

Training::Training(const Config& config, at::Device device, trainers::Comm& group)
    : config_(config),
      group_(group),
      model_(config, device),
      optimizer_(model_.weights().all(), config.learning_rate, Adam::Kind::fused) {
  if (group.size() == 1) return;
  std::vector<trainers::BucketedWeight> weights;
  for (const at::Tensor& weight : model_.weights().all()) weights.push_back({weight});
  buckets_ = std::make_unique<GradientBuckets>(weights, group, config.bucket_mb << 20,
                                               GradientBuckets::Sums::on_every_rank);
}

std::int64_t Training::parameters() const {
  std::int64_t count = 0;
  for (const at::Tensor& weight : weights().all()) count += weight.numel();
  return count;
}

at::Tensor Training::train_on(const Batch& batch) {
  buckets_ ? buckets_->zero() : optimizer_.zero_grad();
  const double share = 1 / static_cast<double>(config_.samples_a_step());
  at::Tensor sum;
  for (const Part& part : batch.plan.parts) {
    if (buckets_ && &part == &batch.plan.parts.back()) buckets_->expect_last();
    at::Tensor loss;
    {
      const auto phase = stepscope::phase("forward");
      loss = model_.loss(batch, part, share);
    }
    const auto phase = stepscope::phase("backward");
    loss.backward();
    sum = sum.defined() ? sum + loss.detach() : loss.detach();
  }
  if (buckets_) buckets_->finish();
  const auto phase = stepscope::phase("optimizer");
  optimizer_.step();
  return sum;
}

std::vector<StepLoss> Training::step(std::int64_t index, const Batch& batch) {
  unread_.push_back(train_on(batch));
  return logs(config_, index) ? read_losses(index) : std::vector<StepLoss>{};
}

std::vector<StepLoss> Training::read_losses(std::int64_t index) {
  const auto phase = stepscope::phase("log");
  const at::Tensor all = at::stack(std::exchange(unread_, {}));
  group_.all_reduce(all, trainers::Reduction::sum);
  const at::Tensor on_host = all.cpu();
  std::vector<StepLoss> out;
  for (std::int64_t i = 0; i < on_host.numel(); ++i)
    out.push_back({index + 1 - on_host.numel() + i, on_host.const_data_ptr<float>()[i]});
  return out;
}

}  // namespace stepscope::token_pipeline
