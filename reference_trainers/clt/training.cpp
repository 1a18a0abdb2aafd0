// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>

#include <stepscope/annotate.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reference_trainers/clt/activation_store.hpp"
#include "reference_trainers/clt/auxiliary_loss.hpp"
#include "reference_trainers/clt/batch_topk.hpp"
#include "reference_trainers/clt/dead_features.hpp"
#include "reference_trainers/clt/loss.hpp"
#include "reference_trainers/clt/loss_parts.hpp"
#include "reference_trainers/clt/memory_store.hpp"
#include "reference_trainers/clt/model.hpp"
#include "reference_trainers/clt/sparse_model.hpp"
#include "reference_trainers/clt/sparse_training.hpp"
#include "reference_trainers/common/adam.hpp"

namespace stepscope::clt {
namespace {

using Layers = std::vector<at::Tensor>;

// What one pass over a batch gave; with cached_encode it is used wherever it is needed again.
struct Forward {
  Layers preactivations, activations, predictions;
};

class Training final : public Trainer {
 public:
  Training(const Config& config, at::Device device, std::unique_ptr<ActivationStore> store)
      : config_(config),
        fixes_(config.fixes),
        store_(std::move(store)),
        model_(config, device),
        dead_(config, device),
        optimizer_(
            model_.parameters(), config.learning_rate,
            fixes_.fused_adam ? trainers::Adam::Kind::fused : trainers::Adam::Kind::one_by_one) {}

  Result<StepResult> step(std::int64_t index) override {
    const Result<Batch> read = next_batch();
    if (!read) return read.error();
    const Batch& batch = *read;
    optimizer_.zero_grad();
    const Forward forward = pass(batch);
    const LossParts parts = losses_of(batch, forward, index);
    StepResult result;
    if (!fixes_.late_readback) result.losses = read_one_by_one(parts);
    track_dead(forward.activations);
    update(parts.total);
    if (evaluates(config_, index)) result.metrics = evaluate(batch);
    if (fixes_.late_readback && reads_late(config_, index)) result.losses = read_together(parts);
    return result;
  }

  std::int64_t parameter_count() const override {
    std::int64_t count = 0;
    for (const at::Tensor& parameter : model_.parameters()) count += parameter.numel();
    return count;
  }

  TrainerState state() override {
    TrainerState all{{"silent_steps", dead_.silent_steps()}};
    const std::vector<at::Tensor> parameters = model_.parameters();
    const std::vector<at::Tensor> first = optimizer_.first_moments();
    const std::vector<at::Tensor> second = optimizer_.second_moments();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string number = std::to_string(i);
      all.emplace_back("parameter." + number, parameters[i]);
      all.emplace_back("first_moment." + number, first[i]);
      all.emplace_back("second_moment." + number, second[i]);
    }
    return all;
  }

  void resume_at(std::int64_t step) override {
    store_->skip(step);
    optimizer_.set_steps(step);
  }

  ActivationStore& store() override { return *store_; }
  at::Tensor preactivations(const Layers& inputs) override {
    const at::NoGradGuard no_grad;
    return at::cat(model_.encode(inputs), 1);
  }
  Layers reconstructions(const at::Tensor& activations) override {
    const at::NoGradGuard no_grad;
    return model_.decode(activations.split(config_.features, 1));
  }

 private:
  Result<Batch> next_batch() {
    const auto phase = stepscope::phase("data");
    return store_->next();
  }

  Layers encode(const Layers& inputs) const {
    const auto phase = stepscope::phase("encode");
    return model_.encode(inputs);
  }

  Layers select(const Layers& preactivations) const {
    const auto phase = stepscope::phase("topk");
    return batch_topk(preactivations, config_.k, config_.hierarchical_ranks);
  }

  Layers decode(const Layers& activations) const {
    const auto phase = stepscope::phase("decode");
    return model_.decode(activations);
  }

  // The reference encodes and selects a second time for what it decodes.
  Forward pass(const Batch& batch) const {
    Forward forward;
    forward.preactivations = encode(batch.inputs);
    forward.activations = select(forward.preactivations);
    forward.predictions =
        decode(fixes_.cached_encode ? forward.activations : select(encode(batch.inputs)));
    return forward;
  }

  LossParts losses_of(const Batch& batch, const Forward& forward, std::int64_t index) const {
    const bool pulls = config_.preactivation_coef > 0;
    const Layers preactivations =
        pulls && !fixes_.cached_encode ? encode(batch.inputs) : forward.preactivations;
    const bool revives = config_.aux_k > 0;
    const Layers candidates =
        revives && !fixes_.cached_encode ? encode(batch.inputs) : forward.preactivations;
    const auto phase = stepscope::phase("loss");
    LossParts parts;
    parts.reconstruction =
        reconstruction_loss(forward.predictions, batch.targets, store_->target_normalisation());
    parts.total = parts.reconstruction;
    if (config_.sparsity_lambda > 0) {
      parts.sparsity =
          sparsity_penalty(forward.activations, model_.decoder_norms(), config_, index);
      parts.total = parts.total.add(parts.sparsity);
    }
    if (pulls) {
      parts.preactivation = preactivation_loss(preactivations, config_.preactivation_coef);
      parts.total = parts.total.add(parts.preactivation);
    }
    if (revives) {
      parts.auxiliary = auxiliary(batch, candidates, forward.predictions);
      parts.total = parts.total.add(parts.auxiliary);
    }
    return parts;
  }

  // Dead are those that were so before this step.
  at::Tensor auxiliary(const Batch& batch, const Layers& preactivations,
                       const Layers& predictions) const {
    Layers errors, own_decoders;
    for (std::size_t layer = 0; layer < predictions.size(); ++layer) {
      errors.push_back(predictions[layer].detach() - batch.targets[layer]);
      own_decoders.push_back(model_.decoders()[layer][layer]);
    }
    return auxiliary_loss(preactivations, errors, own_decoders, dead_.mask(),
                          store_->target_normalisation(), config_);
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

  // On the batch just trained on. The reference runs the whole model twice for it.
  Metrics evaluate(const Batch& batch) const {
    const auto phase = stepscope::phase("eval");
    const at::NoGradGuard no_grad;
    const Layers activations = select(encode(batch.inputs));
    const Layers predictions = decode(activations);
    const Layers measured = fixes_.cached_encode ? activations : select(encode(batch.inputs));
    const auto evaluate = fixes_.device_metrics ? evaluate_on_device : evaluate_on_host;
    return evaluate(measured, predictions, batch.targets, dead_.mask());
  }

  const Config config_;
  const Fixes fixes_;
  std::unique_ptr<ActivationStore> store_;
  Model model_;
  DeadFeatures dead_;
  trainers::Adam optimizer_;
};

}  // namespace

std::unique_ptr<Trainer> make_training(const Config& config, at::Device device,
                                       std::unique_ptr<ActivationStore> store) {
  if (!config.fixes.sparse_step)
    return std::make_unique<Training>(config, device, std::move(store));
  const SparseShape shape = sparse_shape(config);
  std::unique_ptr<SparseOps> ops = make_aten_ops(shape, config.hierarchical_ranks);
  if (device.is_cuda() && uses_kernels(config.fixes))
    ops = make_mixed_ops(std::move(ops), make_kernel_ops(shape), config.fixes);
  return make_sparse_training(config, device, std::move(ops), std::move(store));
}

std::unique_ptr<Trainer> make_training(const Config& config, at::Device device) {
  return make_training(config, device,
                       std::make_unique<MemoryStore>(make_activations(config), config, device));
}

Status check_device(const Config& config, at::Device device) {
  if (!uses_kernels(config.fixes) || !device.is_cuda()) return Done{};
  const SparseShape shape = sparse_shape(config);
  const char* problem =
      make_kernel_ops(shape) == nullptr
          ? "this build has no CUDA kernels (configure with -DSTEPSCOPE_WITH_CUDA=ON)"
          : problem_for_kernels(shape);
  if (*problem == '\0') return Done{};
  return usage_error(
      std::string("sparse_step with kernels on a GPU: ") + problem +
      "; or train --without select_kernel,sparse_decoder,sparse_adam,sparse_encoder");
}

}  // namespace stepscope::clt
