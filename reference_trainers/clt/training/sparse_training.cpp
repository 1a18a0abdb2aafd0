// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training/sparse_training.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <stepscope/annotate.hpp>
#include <utility>
#include <vector>

#include "reference_trainers/clt/model/sparse_loss.hpp"
#include "reference_trainers/clt/model/sparse_model.hpp"
#include "reference_trainers/clt/ranks/ranks.hpp"
#include "reference_trainers/clt/selection/dead_features.hpp"
#include "reference_trainers/clt/selection/sharded_selection.hpp"

namespace stepscope::clt {
namespace {

// Gradients of all weights but the decoder's, which its update sums up by itself.
struct WeightGradients {
  // Gradients of selected preactivations, a line a column; without `encoder`.
  FeatureList encoder_list;
  at::Tensor encoder, encoder_bias, decoder_bias;
};

std::unique_ptr<SparseOps> make_ops(const Config& config, const Ranks& ranks, at::Device device) {
  const SparseShape shape = sparse_shape(ranks.own(config));
  std::unique_ptr<SparseOps> dense =
      make_aten_ops(shape, make_selection(config, ranks.comm(), device), config.hierarchical_ranks);
  if (!device.is_cuda() || !uses_kernels(config.fixes)) return dense;
  std::unique_ptr<KernelSelection> selection =
      ranks.alone() ? nullptr : make_kernel_selection(ranks.comm(), spread_of(config));
  return make_mixed_ops(std::move(dense), make_kernel_ops(shape, std::move(selection)),
                        config.fixes);
}

// Some term of the loss reads them.
bool needs_all_preactivations(const Config& config) {
  return config.preactivation_coef > 0 || config.aux_k > 0;
}

class SparseTraining final : public Trainer {
 public:
  SparseTraining(const Config& config, at::Device device, std::unique_ptr<ActivationStore> store,
                 trainers::Comm& comm)
      : config_(config),
        ranks_(config, comm),
        ops_(make_ops(config, ranks_, device)),
        store_(std::move(store)),
        model_(make_sparse_model(config, device, ranks_.features())),
        summed_bias_(comm.rank() == 0 ? model_.decoder_bias
                                      : untouched(at::zeros_like(model_.decoder_bias.parameters))),
        dead_(ranks_.own(config), device),
        deviations_(stacked_deviations(store_->target_normalisation())),
        bare_(!needs_all_preactivations(config) &&
              ops_->add_to_listed(model_.encoder_bias.parameters)),
        silent_first_(!ranks_.alone() && config.aux_k == 0) {}

  Result<StepResult> step(std::int64_t index) override {
    const at::NoGradGuard no_grad;
    const Result<Batch> read = next_batch();
    if (!read) return read.error();
    const Batch& batch = *read;
    const SparseForward forward =
        pass(batch.inputs,
             {.selects = [&] { read_ahead(index); },
              .sums = [&](const ActiveFeatures& active) { update_silent(active, index); }});
    SparseLoss loss = loss_of(forward, batch.targets, index);
    StepResult result;
    if (!config_.fixes.late_readback) result.losses = read_one_by_one(loss.parts);
    track_dead(forward.active);
    const WeightGradients gradients = backward(batch, forward, loss);
    update(batch, forward, loss, gradients, index);
    if (evaluates(config_, index)) result.metrics = evaluate(batch);
    if (config_.fixes.late_readback && reads_late(config_, index))
      result.losses = read_together(loss.parts);
    return result;
  }

  std::int64_t parameter_count() const override { return model_.parameter_count(); }

  TrainerState state() override {
    TrainerState all = model_.state();
    all.emplace(all.begin(), "silent_steps", dead_.silent_steps());
    return all;
  }

  // Adam's steps are counted by the caller.
  void resume_at(std::int64_t step) override { store_->skip(step); }

  ActivationStore& store() override { return *store_; }
  at::Tensor preactivations(const std::vector<at::Tensor>& inputs) override {
    const at::NoGradGuard no_grad;
    return model_.encode(inputs);
  }
  std::vector<at::Tensor> reconstructions(const at::Tensor& activations) override {
    const at::NoGradGuard no_grad;
    return ranks_
        .sum(decode_dense(model_.shape, model_.decoder.parameters, summed_bias_.parameters,
                          activations))
        .unbind(1);
  }

 private:
  Result<Batch> next_batch() {
    const auto phase = stepscope::phase("data");
    if (!ahead_) return store_->next();
    Result<Batch> batch = std::move(*ahead_);
    ahead_.reset();
    return batch;
  }

  // The next batch, while ranks wait for each other anyway.
  void read_ahead(std::int64_t index) {
    if (ranks_.alone() || index + 1 >= config_.steps) return;
    const auto phase = stepscope::phase("data");
    ahead_.emplace(store_->next());
  }

  at::Tensor encode(const std::vector<at::Tensor>& inputs) const {
    const auto phase = stepscope::phase("encode");
    return bare_ ? model_.encode_without_bias(inputs) : model_.encode(inputs);
  }

  ActiveFeatures begin_select(const at::Tensor& preactivations,
                              const SparseOps::Meanwhile& meanwhile) {
    const auto phase = stepscope::phase("topk");
    return ops_->begin_select(preactivations,
                              std::min(config_.k * model_.shape.tokens, preactivations.numel()),
                              meanwhile);
  }
  bool end_select(SparseForward& forward) {
    const auto phase = stepscope::phase("topk");
    return ops_->end_select(forward.active, forward.preactivations);
  }

  at::Tensor decode(const ActiveFeatures& active) {
    const auto phase = stepscope::phase("decode");
    return ops_->decode(model_.decoder, summed_bias_, active);
  }
  // By the ranks.
  void begin_sum(const at::Tensor& outputs) {
    const auto phase = stepscope::phase("decode");
    ranks_.begin_sum(outputs);
  }

  void list_columns(SparseForward& forward) {
    const auto phase = stepscope::phase("topk");
    ops_->list_columns(forward.active, forward.preactivations);
  }

  // While ranks wait for each other anyway.
  struct Beside {
    SparseOps::Meanwhile selects;
    std::function<void(const ActiveFeatures&)> sums;
  };
  SparseForward pass(const std::vector<at::Tensor>& inputs, const Beside& beside) {
    SparseForward forward{.preactivations = encode(inputs)};
    forward.active = begin_select(forward.preactivations, beside.selects);
    forward.outputs = decode(forward.active);  // the device's work while the host waits
    if (!end_select(forward)) forward.outputs = decode(forward.active);
    begin_sum(forward.outputs);
    list_columns(forward);
    beside.sums(forward.active);
    ranks_.finish_sums();
    return forward;
  }

  SparseLoss loss_of(const SparseForward& forward, const std::vector<at::Tensor>& targets,
                     std::int64_t index) const {
    const auto phase = stepscope::phase("loss");
    return sparse_loss(config_, ranks_, *ops_, model_, forward, targets, deviations_, dead_, index);
  }

  void track_dead(const ActiveFeatures& active) {
    const auto phase = stepscope::phase("dead");
    ops_->count_silent_steps(active, DeadFeatures::kFires, dead_.silent_steps());
  }

  WeightGradients backward(const Batch& batch, const SparseForward& forward, SparseLoss& loss) {
    const auto phase = stepscope::phase("backward");
    at::Tensor of_values =
        ops_->activation_gradient(model_.decoder, forward.active, loss.of_outputs);
    if (loss.of_values.defined()) of_values = of_values + loss.of_values;
    WeightGradients gradients{.decoder_bias = loss.of_decoder_bias.view({-1})};
    if (config_.fixes.sparse_encoder && !loss.reaches_all_preactivations()) {
      const SparseOps::ByColumn of_columns = ops_->by_column(forward.active, of_values);
      gradients.encoder_list = of_columns.list;
      gradients.encoder_bias = of_columns.sums;
    } else {
      const at::Tensor of_all = of_all_preactivations(forward, of_values, loss);
      gradients.encoder = model_.encoder_gradient(of_all, batch.inputs);
      gradients.encoder_bias = of_all.sum(0);
    }
    return gradients;
  }

  // In the memory of the loss's own gradient where it has one.
  at::Tensor of_all_preactivations(const SparseForward& forward, const at::Tensor& of_values,
                                   SparseLoss& loss) const {
    at::Tensor of_all = loss.of_preactivations.defined() ? loss.of_preactivations
                                                         : at::zeros_like(forward.preactivations);
    add_preactivation_gradients(loss.auxiliary, of_all);
    const at::Tensor places = places_of(forward.active.by_token, model_.shape.columns());
    of_all.view({-1}).scatter_add_(0, places, of_values);
    return of_all;
  }

  void update_silent(const ActiveFeatures& active, std::int64_t index) {
    if (!silent_first_) return;
    const auto phase = stepscope::phase("optimizer");
    ops_->update_silent(model_.decoder, active, config_.learning_rate, index + 1);
  }

  void update_decoder(const ActiveFeatures& active, const at::Tensor& output_gradients, double rate,
                      std::int64_t step) {
    if (silent_first_)
      ops_->update_others(model_.decoder, active, output_gradients, rate, step);
    else
      ops_->update_decoder(model_.decoder, active, output_gradients, rate, step);
  }

  void update(const Batch& batch, const SparseForward& forward, SparseLoss& loss,
              const WeightGradients& gradients, std::int64_t index) {
    const auto phase = stepscope::phase("optimizer");
    const double rate = config_.learning_rate;
    const std::int64_t step = index + 1;
    update_decoder(forward.active, loss.of_outputs, rate, step);
    update_vectors(loss.auxiliary, *ops_, model_.shape, model_.decoder, forward.active,
                   loss.of_outputs, rate, step);
    ops_->update(model_.decoder_bias, gradients.decoder_bias, rate, step);
    if (gradients.encoder.defined())
      ops_->update(model_.encoder, gradients.encoder, rate, step);
    else
      ops_->update_encoder(model_.encoder, gradients.encoder_list, batch.inputs, rate, step);
    ops_->update(model_.encoder_bias, gradients.encoder_bias, rate, step);
  }

  // Evaluates the batch just trained on, as the reference does.
  Metrics evaluate(const Batch& batch) {
    const auto phase = stepscope::phase("eval");
    const SparseForward forward =
        pass(batch.inputs, {.selects = [] {}, .sums = [](const ActiveFeatures&) {}});
    const at::Tensor dense = dense_activations(model_.shape, forward.active.by_token);
    const auto evaluate = config_.fixes.device_metrics ? evaluate_on_device : evaluate_on_host;
    return ranks_.of_all_features(evaluate(dense.split(model_.shape.features, 1),
                                           forward.outputs.unbind(1), batch.targets, dead_.mask()),
                                  forward.outputs.device());
  }

  const Config config_;
  const Ranks ranks_;
  std::unique_ptr<SparseOps> ops_;
  std::unique_ptr<ActivationStore> store_;
  std::optional<Result<Batch>> ahead_;
  SparseModel model_;
  AdamState summed_bias_;  // what this rank adds to the sum over ranks: rank 0 the bias itself
  DeadFeatures dead_;
  const at::Tensor deviations_;
  const bool bare_;  // preactivations are without the bias, which is added to listed ones
  // The decoder's vectors that need no gradient are updated beside the sum of outputs.
  const bool silent_first_;
};

}  // namespace

std::unique_ptr<Trainer> make_sparse_training(const Config& config, at::Device device,
                                              std::unique_ptr<ActivationStore> store,
                                              trainers::Comm& comm) {
  return std::make_unique<SparseTraining>(config, device, std::move(store), comm);
}

}  // namespace stepscope::clt
