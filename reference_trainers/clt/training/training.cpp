// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training/training.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>

#include <stepscope/annotate.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reference_trainers/clt/data/activation_store.hpp"
#include "reference_trainers/clt/data/memory_store.hpp"
#include "reference_trainers/clt/model/auxiliary_loss.hpp"
#include "reference_trainers/clt/model/loss.hpp"
#include "reference_trainers/clt/model/loss_parts.hpp"
#include "reference_trainers/clt/model/model.hpp"
#include "reference_trainers/clt/model/sparse_model.hpp"
#include "reference_trainers/clt/ranks/ranks.hpp"
#include "reference_trainers/clt/selection/batch_topk.hpp"
#include "reference_trainers/clt/selection/dead_features.hpp"
#include "reference_trainers/clt/selection/sharded_selection.hpp"
#include "reference_trainers/clt/training/sparse_training.hpp"
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
  Training(const Config& config, at::Device device, std::unique_ptr<ActivationStore> store,
           trainers::Comm& comm)
      : config_(config),
        fixes_(config.fixes),
        ranks_(config, comm),
        selection_(make_selection(config, comm, device)),
        store_(std::move(store)),
        model_(config, device, ranks_.features()),
        dead_(ranks_.own(config), device),
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
    return decode(activations.split(ranks_.own(config_).features, 1));
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
    if (selection_ == nullptr)
      return batch_topk(preactivations, config_.k, config_.hierarchical_ranks);
    return keep(preactivations, selection_->mask(at::cat(preactivations, 1).detach()));
  }

  Layers decode(const Layers& activations) const {
    const auto phase = stepscope::phase("decode");
    if (!ranks_.by_features()) return model_.decode(activations);
    Layers outputs =
        ranks_.sum(at::stack(model_.decode(activations, Model::Biases::without))).unbind(0);
    for (std::size_t layer = 0; layer < outputs.size(); ++layer)
      outputs[layer] = outputs[layer].add(model_.decoder_biases()[layer]);
    return outputs;
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
    if (ranks_.by_rows())
      parts.reconstruction = ranks_.sum(parts.reconstruction.mul(ranks_.share()));
    parts.total = parts.reconstruction;
    if (config_.sparsity_lambda > 0) {
      parts.sparsity =
          ranks_.sum(sparsity_penalty(forward.activations, model_.decoder_norms(), config_, index));
      parts.total = parts.total.add(parts.sparsity);
    }
    if (pulls) {
      parts.preactivation = ranks_.sum(
          preactivation_loss(preactivations, config_.preactivation_coef * ranks_.share()));
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
    const at::Tensor loss = auxiliary_loss(preactivations, errors, own_decoders, dead_.mask(),
                                           store_->target_normalisation(), config_, ranks_);
    return ranks_.by_rows() ? ranks_.sum(loss.mul(ranks_.share())) : loss;
  }

  void track_dead(const Layers& activations) {
    const auto phase = stepscope::phase("dead");
    if (ranks_.by_rows()) return dead_.update_fired(ranks_.any(DeadFeatures::fired(activations)));
    dead_.update(activations);
  }

  void update(const at::Tensor& loss) {
    {
      const auto phase = stepscope::phase("backward");
      loss.backward();
    }
    ranks_.sum_gradients(model_.parameters());
    const auto phase = stepscope::phase("optimizer");
    optimizer_.step();
  }

  // Evaluates the batch just trained on. The reference runs the whole model twice for it.
  Metrics evaluate(const Batch& batch) const {
    const auto phase = stepscope::phase("eval");
    const at::NoGradGuard no_grad;
    const Layers activations = select(encode(batch.inputs));
    const Layers predictions = decode(activations);
    const Layers measured = fixes_.cached_encode ? activations : select(encode(batch.inputs));
    const auto evaluate = fixes_.device_metrics ? evaluate_on_device : evaluate_on_host;
    const Metrics own = evaluate(ranks_.gather_rows(measured), ranks_.gather_rows(predictions),
                                 ranks_.gather_rows(batch.targets), dead_.mask());
    return ranks_.of_all_features(own, batch.targets.front().device());
  }

  const Config config_;
  const Fixes fixes_;
  const Ranks ranks_;
  std::unique_ptr<ShardedSelection> selection_;
  std::unique_ptr<ActivationStore> store_;
  Model model_;
  DeadFeatures dead_;
  trainers::Adam optimizer_;
};

}  // namespace

std::unique_ptr<Trainer> make_training(const Config& config, at::Device device,
                                       std::unique_ptr<ActivationStore> store,
                                       trainers::Comm* comm) {
  static trainers::SingleComm alone;
  trainers::Comm& group = comm != nullptr ? *comm : alone;
  if (config.fixes.sparse_step)
    return make_sparse_training(config, device, std::move(store), group);
  return std::make_unique<Training>(config, device, std::move(store), group);
}

std::unique_ptr<Trainer> make_training(const Config& config, at::Device device,
                                       trainers::Comm* comm) {
  trainers::SingleComm alone;
  const trainers::Span own = Ranks(config, comm != nullptr ? *comm : alone).rows();
  return make_training(config, device,
                       std::make_unique<MemoryStore>(make_activations(config), config, device, own),
                       comm);
}

Status check_device(const Config& config, at::Device device, int ranks) {
  if (!device.is_cuda() || (!uses_kernels(config.fixes) && ranks == 1)) return Done{};
  const SparseShape shape = sparse_shape(config);
  const char* problem = "";
  if (make_kernel_ops(shape) == nullptr)
    problem = "this build has no CUDA kernels (configure with -DSTEPSCOPE_WITH_CUDA=ON)";
  else if (uses_kernels(config.fixes))
    problem = problem_for_kernels(shape);
  if (*problem == '\0') return Done{};
  if (!uses_kernels(config.fixes))
    return usage_error(std::string("several ranks on GPUs: ") + problem);
  return usage_error(std::string("sparse_step with kernels on a GPU: ") + problem +
                     "; or train --without select_kernel,sparse_decoder,sparse_adam,sparse_encoder,"
                     "moments_8bit");
}

}  // namespace stepscope::clt
