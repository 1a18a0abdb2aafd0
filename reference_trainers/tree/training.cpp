// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/tree/training.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>

#include <stepscope/annotate.hpp>
#include <utility>

#include "reference_trainers/common/autocast.hpp"

namespace stepscope::tree {

using trainers::Adam;

Training::Training(const Config& config, at::Device device)
    : config_(config),
      device_(device),
      model_(config, device),
      shared_(model_.shared(), config.learning_rate, Adam::Kind::fused) {
  for (const Node& node : model_.nodes())
    of_nodes_.emplace_back(node.weights(), config.learning_rate, Adam::Kind::fused);
}

at::Tensor Training::loss_of(const at::Tensor& sequences, std::int64_t leaf) const {
  const trainers::Autocast autocast(config_.fixes.mixed_precision, device_);
  return model_.loss(sequences, leaf);
}

at::Tensor Training::train_on(const at::Tensor& sequences, std::int64_t leaf) {
  const std::vector<std::size_t> path = config_.shape.path_to(leaf);
  shared_.zero_grad();
  for (const std::size_t node : path) of_nodes_[node].zero_grad();
  at::Tensor loss;
  {
    const auto phase = stepscope::phase("forward");
    loss = loss_of(sequences, leaf);
  }
  {
    const auto phase = stepscope::phase("backward");
    loss.backward();
  }
  const Gradients gradients = gradients_of(model_.nodes(), path);
  {
    const auto phase = stepscope::phase("credit");
    config_.fixes.foreach_norms ? give_credit_on_device(gradients, config_.credit)
                                : give_credit_on_host(gradients, config_.credit);
  }
  if (config_.fixes.clipping) {
    const auto phase = stepscope::phase("clip");
    std::vector<at::Tensor> all;
    for (const at::Tensor& weight : model_.shared()) all.push_back(weight.grad());
    for (const auto& node : gradients) all.insert(all.end(), node.begin(), node.end());
    clip_on_device(all, config_.clip);
  }
  const auto phase = stepscope::phase("optimizer");
  shared_.step();
  for (const std::size_t node : path) of_nodes_[node].step();
  return loss.detach();
}

// The step's loss is copied out before the next launch overwrites it.
at::Tensor Training::launch(Recorded& recorded, const at::Tensor& sequences, std::int64_t leaf) {
  const auto phase = stepscope::phase("graph");
  if (!recorded.graph) {
    recorded.sequences = sequences.clone();
    recorded.graph = trainers::make_step_graph();
    recorded.graph->record([&] { recorded.loss = train_on(recorded.sequences, leaf); });
  }
  recorded.sequences.copy_(sequences);
  recorded.graph->launch();
  return recorded.loss.clone();
}

std::vector<double> Training::step(std::int64_t index, std::int64_t leaf,
                                   const at::Tensor& sequences) {
  // Steps that make what lasts (cuBLAS's memory) before one is recorded.
  constexpr int kPlainSteps = 2;
  Recorded& recorded = recorded_[leaf];
  const bool graph =
      config_.fixes.cuda_graph && device_.is_cuda() && ++recorded.plain_steps > kPlainSteps;
  unread_.push_back(graph ? launch(recorded, sequences, leaf) : train_on(sequences, leaf));
  if (config_.fixes.rare_sync && !logs(config_, index)) return {};
  const auto phase = stepscope::phase("log");
  std::vector<double> losses;
  if (!config_.fixes.rare_sync) return {std::exchange(unread_, {})[0].item<double>()};
  const at::Tensor all = at::stack(std::exchange(unread_, {})).cpu();
  for (std::int64_t i = 0; i < all.numel(); ++i) losses.push_back(all.const_data_ptr<float>()[i]);
  return losses;
}

double Training::evaluate(const Sequences& sequences) {
  const auto phase = stepscope::phase("eval");
  const at::NoGradGuard no_grad;
  const std::int64_t most = config_.sequences_of_evaluation(), leaves = config_.shape.leaves();
  const double share = 1 / static_cast<double>(leaves * config_.eval_sequences);
  double sum = 0;
  at::Tensor on_device;
  for (std::int64_t leaf = 0; leaf < leaves; ++leaf) {
    const at::Tensor all = sequences.held_out(leaf).to(device_);
    for (const at::Tensor& some : all.split(most)) {
      const at::Tensor loss = loss_of(some, leaf) * (share * static_cast<double>(some.size(0)));
      if (!config_.fixes.eval_batch)
        sum += loss.item<double>();
      else
        on_device = on_device.defined() ? on_device + loss : loss;
    }
  }
  return config_.fixes.eval_batch ? on_device.item<double>() : sum;
}

}  // namespace stepscope::tree
