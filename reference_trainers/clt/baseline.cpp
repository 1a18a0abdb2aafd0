// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/baseline.hpp"

#include <ATen/core/grad_mode.h>

#include <stepscope/annotate.hpp>
#include <utility>
#include <vector>

#include "reference_trainers/clt/activation_store.hpp"
#include "reference_trainers/clt/batch_topk.hpp"
#include "reference_trainers/clt/dead_features.hpp"
#include "reference_trainers/clt/loss.hpp"
#include "reference_trainers/clt/model.hpp"
#include "reference_trainers/common/adam.hpp"

namespace stepscope::clt {
namespace {

using Layers = std::vector<at::Tensor>;

class Baseline final : public Trainer {
 public:
  Baseline(const Config& config, at::Device device)
      : config_(config),
        store_(make_activations(config), config, device),
        model_(config, device),
        dead_(config, device),
        optimizer_(model_.parameters(), config.learning_rate) {}

  StepResult step(std::int64_t index) override {
    const Batch batch = next_batch();
    optimizer_.zero_grad();
    const Layers activations = features(batch.inputs);
    const Layers predictions = decode(features(batch.inputs));  // the second encode of a step
    auto [loss, result] = total_loss(batch, predictions, activations, index);
    track_dead(activations);
    update(loss);
    if (config_.eval_every > 0 && (index + 1) % config_.eval_every == 0)
      result.metrics = evaluate(batch);
    return result;
  }

  std::int64_t parameter_count() const override {
    std::int64_t count = 0;
    for (const at::Tensor& parameter : model_.parameters()) count += parameter.numel();
    return count;
  }

 private:
  Batch next_batch() {
    const auto phase = stepscope::phase("data");
    return store_.next();
  }

  Layers encode(const Layers& inputs) const {
    const auto phase = stepscope::phase("encode");
    return model_.encode(inputs);
  }

  Layers features(const Layers& inputs) const {
    const Layers preactivations = encode(inputs);
    const auto phase = stepscope::phase("topk");
    return batch_topk(preactivations, config_.k);
  }

  Layers decode(const Layers& activations) const {
    const auto phase = stepscope::phase("decode");
    return model_.decode(activations);
  }

  // The parts are read back to the host each step, as the reference logs them.
  std::pair<at::Tensor, StepResult> total_loss(const Batch& batch, const Layers& predictions,
                                               const Layers& activations,
                                               std::int64_t index) const {
    const Layers preactivations = config_.preactivation_coef > 0 ? encode(batch.inputs) : Layers();
    const auto phase = stepscope::phase("loss");
    StepResult result;
    at::Tensor loss =
        reconstruction_loss(predictions, batch.targets, store_.target_normalisation());
    result.reconstruction = loss.item<double>();
    if (config_.sparsity_lambda > 0) {
      const at::Tensor sparsity =
          sparsity_penalty(activations, model_.decoder_norms(), config_, index);
      result.sparsity = sparsity.item<double>();
      loss = loss.add(sparsity);
    }
    if (config_.preactivation_coef > 0) {
      const at::Tensor silent = preactivation_loss(preactivations, config_.preactivation_coef);
      result.preactivation = silent.item<double>();
      loss = loss.add(silent);
    }
    result.loss = loss.item<double>();
    return {loss, result};
  }

  void track_dead(const Layers& activations) {
    const auto phase = stepscope::phase("dead");
    dead_.update(activations);
  }

  void update(const at::Tensor& loss) {
    {
      const auto phase = stepscope::phase("backward");
      loss.backward();
    }
    const auto phase = stepscope::phase("optimizer");
    optimizer_.step();
  }

  // Runs the whole model again, twice, on the batch just trained on.
  Metrics evaluate(const Batch& batch) const {
    const auto phase = stepscope::phase("eval");
    const at::NoGradGuard no_grad;
    const Layers predictions = decode(features(batch.inputs));
    return evaluate_on_host(features(batch.inputs), predictions, batch.targets, dead_.mask());
  }

  const Config config_;
  ActivationStore store_;
  Model model_;
  DeadFeatures dead_;
  trainers::Adam optimizer_;
};

}  // namespace

std::unique_ptr<Trainer> make_baseline(const Config& config, at::Device device) {
  return std::make_unique<Baseline>(config, device);
}

}  // namespace stepscope::clt
