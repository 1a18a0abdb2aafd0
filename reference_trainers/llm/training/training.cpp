// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/training/training.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include <stepscope/annotate.hpp>

#include "reference_trainers/llm/model/precision.hpp"

namespace stepscope::llm {

Training::Training(const Config& config, at::Device device)
    : config_(config),
      device_(device),
      model_(config, device),
      optimizer_(make_adamw(model_.parameters(), config)) {}

void Training::begin_at(std::int64_t first_step, std::unique_ptr<BatchFeed> feed) {
  optimizer_->set_steps(first_step);
  feed_ = std::move(feed);
  unread_ = first_step;
}

// Gives the step's loss.
Result<at::Tensor> Training::gradients() {
  at::Tensor sum;
  const double share = 1 / static_cast<double>(config_.accumulate);
  for (std::int64_t i = 0; i < config_.accumulate; ++i) {
    Result<Batch> batch = [this] {
      const auto phase = stepscope::phase("data");
      return feed_->next();
    }();
    if (!batch) return batch.error();
    at::Tensor loss;
    {
      const auto phase = stepscope::phase("forward");
      const Autocast autocast(config_.rungs.bf16, device_);
      loss = model_.loss(batch->inputs, batch->targets) * share;
    }
    const auto phase = stepscope::phase("backward");
    loss.backward();
    sum = sum.defined() ? sum + loss.detach() : loss.detach();
  }
  return sum;
}

Result<std::vector<StepLog>> Training::step(std::int64_t index) {
  optimizer_->zero_gradients();
  const Result<at::Tensor> loss = gradients();
  if (!loss) return loss.error();
  const at::Tensor norm = optimizer_->clip_and_step(learning_rate_of(config_, index));
  const auto phase = stepscope::phase("log");
  noted_.push_back(*loss);
  noted_.push_back(norm);
  if (config_.rungs.fused_adamw && !logs(config_, index)) return std::vector<StepLog>{};
  return read_log(index);
}

std::vector<StepLog> Training::read_log(std::int64_t index) {
  std::vector<StepLog> out;
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
