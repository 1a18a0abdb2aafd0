// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/sparse_training.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <stepscope/annotate.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reference_trainers/clt/activation_store.hpp"
#include "reference_trainers/clt/dead_features.hpp"
#include "reference_trainers/clt/loss_parts.hpp"
#include "reference_trainers/clt/model.hpp"
#include "reference_trainers/clt/ranks.hpp"

namespace stepscope::clt {
namespace {

// A model's tensors as the step wants them: one of each kind.
struct FlatWeights {
  at::Tensor encoder;  // [layers, features, d_model]
  at::Tensor encoder_bias, decoder, decoder_bias;
};

FlatWeights flatten(const Model& model, const SparseShape& shape) {
  const at::NoGradGuard no_grad;
  at::Tensor decoder = at::empty({shape.weights()}, model.encoders().front().options());
  for (std::int64_t source = 0; source < shape.layers; ++source) {
    const at::Tensor rows = weights_of_source(shape, decoder, source)
                                .view({shape.features, shape.layers - source, shape.model});
    for (std::int64_t target = source; target < shape.layers; ++target) {
      const at::Tensor& pair =
          model.decoders()[static_cast<std::size_t>(target)][static_cast<std::size_t>(source)];
      rows.select(1, target - source).copy_(pair.t());
    }
  }
  return {at::stack(model.encoders()), at::cat(model.encoder_biases()), decoder,
          at::cat(model.decoder_biases())};
}

at::Tensor stacked_deviations(const std::vector<Normalisation>& layers) {
  std::vector<at::Tensor> deviations;
  for (const Normalisation& layer : layers) deviations.push_back(layer.std);
  return at::stack(deviations);
}

std::unique_ptr<SparseOps> make_ops(const Config& config, const Ranks& ranks, at::Device device) {
  const SparseShape shape = sparse_shape(ranks.own(config));
  const Spread spread{Parallel::features, config.layers, config.batch, config.k * config.batch};
  if (device.is_cuda())
    return make_kernel_ops(shape,
                           ranks.alone() ? nullptr : make_kernel_selection(ranks.comm(), spread));
  return make_aten_ops(shape, ranks.alone() ? nullptr : make_host_selection(ranks.comm(), spread));
}

class SparseTraining final : public Trainer {
 public:
  SparseTraining(const Config& config, at::Device device, std::unique_ptr<ActivationStore> store,
                 const Ranks& ranks)
      : SparseTraining(
            config, device, std::move(store), ranks,
            flatten(Model(config, device, ranks.features()), sparse_shape(ranks.own(config)))) {}

  Result<StepResult> step(std::int64_t index) override {
    const at::NoGradGuard no_grad;
    const Result<Batch> read = next_batch();
    if (!read) return read.error();
    const Batch& batch = *read;
    const at::Tensor preactivations = encode(batch.inputs);
    const ActiveFeatures active = select(preactivations);
    const at::Tensor outputs = decode(active);
    at::Tensor output_gradients, pulls;
    LossParts parts = reconstruction(outputs, batch.targets, output_gradients);
    add_preactivation_loss(preactivations, parts, pulls);
    at::Tensor value_gradients = add_sparsity(active, index, parts);
    StepResult result;
    if (!config_.fixes.late_readback) result.losses = read_one_by_one(parts);
    track_dead(active);
    backward(batch, active, output_gradients, value_gradients, pulls, preactivations, index);
    if (evaluates(config_, index)) result.metrics = evaluate(batch);
    if (config_.fixes.late_readback && reads_late(config_, index))
      result.losses = read_together(parts);
    return result;
  }

  std::int64_t parameter_count() const override {
    return encoder_.parameters.numel() + encoder_bias_.parameters.numel() +
           decoder_.parameters.numel() + decoder_bias_.parameters.numel();
  }

  TrainerState state() override {
    TrainerState all{{"silent_steps", dead_.silent_steps()}};
    const std::pair<const char*, AdamState&> states[] = {{"encoder", encoder_},
                                                         {"encoder_bias", encoder_bias_},
                                                         {"decoder", decoder_},
                                                         {"decoder_bias", decoder_bias_}};
    for (const auto& [name, state] : states) {
      all.emplace_back(std::string(name) + ".parameters", state.parameters);
      all.emplace_back(std::string(name) + ".first_moments", state.first_moments);
      all.emplace_back(std::string(name) + ".second_moments", state.second_moments);
    }
    return all;
  }

  // Adam's steps are counted by the caller.
  void resume_at(std::int64_t step) override { store_->skip(step); }

 private:
  SparseTraining(const Config& config, at::Device device, std::unique_ptr<ActivationStore> store,
                 const Ranks& ranks, const FlatWeights& weights)
      : config_(config),
        ranks_(ranks),
        shape_(sparse_shape(ranks.own(config))),
        ops_(make_ops(config, ranks, device)),
        store_(std::move(store)),
        dead_(ranks.own(config), device),
        deviations_(stacked_deviations(store_->target_normalisation())),
        encoder_(weights.encoder),
        encoder_bias_(weights.encoder_bias),
        decoder_(weights.decoder),
        decoder_bias_(weights.decoder_bias),
        summed_bias_(ranks.comm().rank() == 0 ? weights.decoder_bias
                                              : at::zeros_like(weights.decoder_bias)) {}

  Result<Batch> next_batch() {
    const auto phase = stepscope::phase("data");
    return store_->next();
  }

  at::Tensor of_layer(const at::Tensor& columns, std::int64_t layer) const {
    return columns.slice(-1, layer * shape_.features, (layer + 1) * shape_.features);
  }

  // [tokens, layers * features]
  at::Tensor encode(const std::vector<at::Tensor>& inputs) const {
    const auto phase = stepscope::phase("encode");
    at::Tensor all = at::empty({shape_.tokens, shape_.columns()}, inputs.front().options());
    for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
      at::Tensor out = of_layer(all, layer);
      at::addmm_out(out, of_layer(encoder_bias_.parameters, layer),
                    inputs[static_cast<std::size_t>(layer)],
                    encoder_.parameters.select(0, layer).t());
    }
    return all;
  }

  ActiveFeatures select(const at::Tensor& preactivations) {
    const auto phase = stepscope::phase("topk");
    return ops_->select(preactivations,
                        std::min(config_.k * shape_.tokens, preactivations.numel()));
  }

  at::Tensor decode(const ActiveFeatures& active) {
    const auto phase = stepscope::phase("decode");
    return ranks_.sum(ops_->decode(decoder_, summed_bias_, active));
  }

  // In the original space, where the means cancel.
  LossParts reconstruction(const at::Tensor& outputs, const std::vector<at::Tensor>& targets,
                           at::Tensor& output_gradients) const {
    const auto phase = stepscope::phase("loss");
    const auto entries = static_cast<double>(shape_.tokens * shape_.model);
    const at::Tensor error = (outputs - at::stack(targets, 1)) * deviations_;
    LossParts parts;
    parts.reconstruction = error.square().sum() / entries;
    parts.total = parts.reconstruction;
    output_gradients = error * (deviations_ * (2 / entries));
    return parts;
  }

  // Its gradient, of all preactivations; undefined without it.
  void add_preactivation_loss(const at::Tensor& preactivations, LossParts& parts,
                              at::Tensor& pulls) const {
    if (config_.preactivation_coef <= 0) return;
    const auto phase = stepscope::phase("loss");
    const double scale =
        config_.preactivation_coef * ranks_.share() / static_cast<double>(preactivations.numel());
    parts.preactivation = ranks_.sum(preactivations.clamp_max(0).sum() * -scale);
    parts.total = parts.total + parts.preactivation;
    pulls = (preactivations < 0).to(preactivations.scalar_type()) * -scale;
  }

  // Its gradient, of the values of by_token; undefined without it.
  at::Tensor add_sparsity(const ActiveFeatures& active, std::int64_t index,
                          LossParts& parts) const {
    if (config_.sparsity_lambda <= 0) return {};
    const auto phase = stepscope::phase("loss");
    const double weight =
        config_.sparsity_lambda *
        std::min(1.0, static_cast<double>(index) / static_cast<double>(config_.steps));
    const at::Tensor norms =
        decoder_norms().index_select(0, active.by_token.indices) * config_.sparsity_c;
    const at::Tensor shares = at::tanh(active.by_token.values * norms);
    parts.sparsity = ranks_.sum(shares.sum() * weight);
    parts.total = parts.total + parts.sparsity;
    return (1 - shares.square()) * norms * weight;
  }

  at::Tensor decoder_norms() const {
    std::vector<at::Tensor> norms;
    for (std::int64_t source = 0; source < shape_.layers; ++source) {
      norms.push_back(
          weights_of_source(shape_, decoder_.parameters, source).square().sum(1).sqrt());
    }
    return at::cat(norms);
  }

  void track_dead(const ActiveFeatures& active) {
    const auto phase = stepscope::phase("dead");
    at::Tensor greatest = at::zeros({shape_.columns()}, active.by_token.values.options());
    greatest.scatter_reduce_(0, active.by_token.indices.to(at::kLong), active.by_token.values,
                             "amax");
    dead_.update_fired((greatest > DeadFeatures::kFires).view({shape_.layers, shape_.features}));
  }

  void backward(const Batch& batch, const ActiveFeatures& active,
                const at::Tensor& output_gradients, const at::Tensor& value_gradients,
                const at::Tensor& pulls, const at::Tensor& preactivations, std::int64_t index) {
    at::Tensor encoder_gradients, bias_gradients, decoder_bias_gradients;
    {
      const auto phase = stepscope::phase("backward");
      at::Tensor of_values = ops_->activation_gradient(decoder_, active, output_gradients);
      if (value_gradients.defined()) of_values = of_values + value_gradients;
      const at::Tensor of_all = pulls.defined() ? pulls : at::zeros_like(preactivations);
      of_all.view({-1}).scatter_add_(0, places_of(active.by_token, shape_.columns()), of_values);
      encoder_gradients = encoder_gradient(of_all, batch.inputs);
      bias_gradients = of_all.sum(0);
      decoder_bias_gradients = output_gradients.sum(0);
    }
    const auto phase = stepscope::phase("optimizer");
    const double rate = config_.learning_rate;
    ops_->update_decoder(decoder_, active, output_gradients, rate, index + 1);
    ops_->update(decoder_bias_, decoder_bias_gradients.view({-1}), rate, index + 1);
    ops_->update(encoder_, encoder_gradients, rate, index + 1);
    ops_->update(encoder_bias_, bias_gradients, rate, index + 1);
  }

  at::Tensor encoder_gradient(const at::Tensor& gradients,
                              const std::vector<at::Tensor>& inputs) const {
    at::Tensor out = at::empty_like(encoder_.parameters);
    for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
      at::Tensor of = out.select(0, layer);
      at::mm_out(of, of_layer(gradients, layer).t(), inputs[static_cast<std::size_t>(layer)]);
    }
    return out;
  }

  // On the batch just trained on, as the reference does.
  Metrics evaluate(const Batch& batch) {
    const auto phase = stepscope::phase("eval");
    const at::Tensor preactivations = encode(batch.inputs);
    const ActiveFeatures active = select(preactivations);
    const at::Tensor outputs = decode(active);
    const at::Tensor dense = at::zeros_like(preactivations);
    dense.view({-1}).scatter_(0, places_of(active.by_token, shape_.columns()),
                              active.by_token.values);
    const auto evaluate = config_.fixes.device_metrics ? evaluate_on_device : evaluate_on_host;
    return ranks_.of_all_features(
        evaluate(dense.split(shape_.features, 1), outputs.unbind(1), batch.targets, dead_.mask()),
        outputs.device());
  }

  const Config config_;
  const Ranks ranks_;
  const SparseShape shape_;
  std::unique_ptr<SparseOps> ops_;
  std::unique_ptr<ActivationStore> store_;
  DeadFeatures dead_;
  at::Tensor deviations_;  // [layers, d_model], of the targets
  AdamState encoder_, encoder_bias_, decoder_, decoder_bias_;
  AdamState summed_bias_;  // what this rank adds to the sum over ranks: rank 0 the bias itself
};

}  // namespace

SparseShape sparse_shape(const Config& config) {
  return {config.layers, config.features, config.d_model, config.batch};
}

std::unique_ptr<Trainer> make_sparse_training(const Config& config, at::Device device,
                                              std::unique_ptr<ActivationStore> store,
                                              trainers::Comm& comm) {
  return std::make_unique<SparseTraining>(config, device, std::move(store), Ranks(config, comm));
}

}  // namespace stepscope::clt
