// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/sparse_loss.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>

#include <algorithm>

namespace stepscope::clt {
namespace {

void add(at::Tensor& part, const at::Tensor& value, LossParts& parts) {
  part = value;
  parts.total = parts.total.defined() ? parts.total + value : value;
}

// [tokens, layers, model]: not copied where the layers lie so.
at::Tensor side_by_side(const std::vector<at::Tensor>& layers) {
  const at::Tensor& first = layers.front();
  const std::int64_t count = std::ssize(layers), tokens = first.size(0), model = first.size(1);
  for (std::int64_t i = 0; i < count; ++i) {
    const at::Tensor& layer = layers[static_cast<std::size_t>(i)];
    if (!layer.is_alias_of(first) || layer.strides() != at::IntArrayRef{count * model, 1} ||
        layer.storage_offset() != first.storage_offset() + i * model)
      return at::stack(layers, 1);
  }
  return first.as_strided({tokens, count, model}, {count * model, model, 1});
}

// Adds the loss of the difference in the original space, where the means cancel: with d the
// deviation of a column, it is sum (d * difference)^2 / n.
void add_reconstruction(SparseOps& ops, const at::Tensor& outputs, const at::Tensor& targets,
                        const at::Tensor& deviations, SparseLoss& loss) {
  const auto entries = static_cast<double>(outputs.size(0) * outputs.size(2));
  const SquaredLoss found = ops.squared_loss(outputs, targets, deviations, 1 / entries);
  loss.of_outputs = found.of_outputs;
  loss.of_decoder_bias = found.of_bias;
  add(loss.parts.reconstruction, found.loss, loss.parts);
}

void add_preactivation_loss(const Config& config, const Ranks& ranks,
                            const at::Tensor& preactivations, SparseLoss& loss) {
  if (config.preactivation_coef <= 0) return;
  const double scale =
      config.preactivation_coef * ranks.share() / static_cast<double>(preactivations.numel());
  add(loss.parts.preactivation, ranks.sum(preactivations.clamp_max(0).sum() * -scale), loss.parts);
  loss.of_preactivations = (preactivations < 0).to(preactivations.scalar_type()) * -scale;
}

void add_sparsity(const Config& config, const Ranks& ranks, const SparseModel& model,
                  const FeatureList& by_token, std::int64_t step, SparseLoss& loss) {
  if (config.sparsity_lambda <= 0) return;
  const double weight =
      config.sparsity_lambda *
      std::min(1.0, static_cast<double>(step) / static_cast<double>(config.steps));
  const at::Tensor norms =
      model.decoder_norms().index_select(0, by_token.indices) * config.sparsity_c;
  const at::Tensor shares = at::tanh(by_token.values * norms);
  add(loss.parts.sparsity, ranks.sum(shares.sum() * weight), loss.parts);
  loss.of_values = (1 - shares.square()) * norms * weight;
}

void add_auxiliary(const Config& config, const Ranks& ranks, const SparseModel& model,
                   const SparseForward& forward, const at::Tensor& targets,
                   const at::Tensor& deviations, const DeadFeatures& dead, SparseLoss& loss) {
  if (config.aux_k == 0) return;
  const at::Tensor error = (forward.outputs - targets) * deviations;
  loss.auxiliary = auxiliary_of(model.shape, config, ranks, dead.mask(), forward.preactivations,
                                model.decoder, error, deviations);
  if (!loss.auxiliary.loss.defined()) return;
  add(loss.parts.auxiliary, loss.auxiliary.loss, loss.parts);
}

}  // namespace

at::Tensor stacked_deviations(const std::vector<Normalisation>& of_targets) {
  std::vector<at::Tensor> deviations;
  for (const Normalisation& layer : of_targets) deviations.push_back(layer.std);
  return at::stack(deviations);
}

SparseLoss sparse_loss(const Config& config, const Ranks& ranks, SparseOps& ops,
                       const SparseModel& model, const SparseForward& forward,
                       const std::vector<at::Tensor>& targets, const at::Tensor& deviations,
                       const DeadFeatures& dead, std::int64_t step) {
  SparseLoss loss;
  const at::Tensor wanted = side_by_side(targets);
  add_reconstruction(ops, forward.outputs, wanted, deviations, loss);
  add_preactivation_loss(config, ranks, forward.preactivations, loss);
  add_sparsity(config, ranks, model, forward.active.by_token, step, loss);
  add_auxiliary(config, ranks, model, forward, wanted, deviations, dead, loss);
  return loss;
}

}  // namespace stepscope::clt
