// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/torch_calls.hpp"

#include <c10/util/Exception.h>

#include "kernels/aten/batch_topk.hpp"
#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/device_call.hpp"
#include "kernels/aten/fused_adam.hpp"
#include "kernels/aten/shard_topk.hpp"

namespace stepscope::aten {
namespace {

struct Keys {
  BatchTopkWanted wanted;
  BatchTopkMemory memory{.warm = false};
};

Keys keys_of(std::int64_t count, bool z_score, bool positives_only, const OptionalTensor& mean,
             const OptionalTensor& scale) {
  TORCH_CHECK(mean.has_value() == scale.has_value(), "mean: must be given with scale");
  TORCH_CHECK(!z_score || !mean.has_value(), "mean: must not be given with z_score");
  Keys keys;
  keys.wanted.count = count;
  keys.wanted.positives_only = positives_only;
  if (z_score) keys.wanted.keys = kernels::KeySource::z_score;
  if (!mean.has_value()) return keys;
  keys.wanted.keys = kernels::KeySource::affine;
  keys.memory.mean = *mean;
  keys.memory.scale = *scale;
  return keys;
}

kernels::AdamSettings settings_of(double learning_rate, std::int64_t step, double beta1,
                                  double beta2, double epsilon, double weight_decay,
                                  bool decoupled) {
  kernels::AdamSettings settings;
  settings.learning_rate = learning_rate;
  settings.step = step;
  settings.beta1 = beta1;
  settings.beta2 = beta2;
  settings.epsilon = epsilon;
  settings.weight_decay = weight_decay;
  if (decoupled) settings.decay = kernels::WeightDecay::decoupled;
  return settings;
}

// Autograd then sees that what it saved has changed.
void tell_written(const AdamState& state) {
  for (const at::Tensor& tensor :
       {state.parameters, state.first_moments, state.second_moments, state.copy})
    if (tensor.defined() && !tensor.is_inference()) tensor.unsafeGetTensorImpl()->bump_version();
}

// Calls `step` of the sequence with what its arguments in Python describe.
template <class Step>
void shard_call(const at::Tensor& acts, std::int64_t count, at::TensorList tensors,
                bool positives_only, const OptionalTensor& mean, const OptionalTensor& scale,
                Step step) {
  TORCH_CHECK(tensors.size() == 4, "memory: must be what shard_topk_memory returned");
  ShardTopkMemory memory{tensors[0], tensors[1], tensors[2], tensors[3]};
  Keys keys = keys_of(count, /*z_score=*/false, positives_only, mean, scale);
  step(ShardTopkCall{row_major(acts.detach(), "acts"), keys.wanted, keys.memory, memory});
}

}  // namespace

Tensors2 mask_and_threshold(const at::Tensor& acts, std::int64_t count, bool z_score,
                            bool positives_only, const OptionalTensor& mean,
                            const OptionalTensor& scale, const OptionalTensor& device_count) {
  Keys keys = keys_of(count, z_score, positives_only, mean, scale);
  keys.wanted.device_count = device_count.value_or(at::Tensor());
  const at::Tensor mask =
      batch_topk_mask(row_major(acts.detach(), "acts"), keys.wanted, keys.memory);
  return {mask, batch_topk_threshold(keys.memory)};
}

Tensors2 mean_and_scale(const at::Tensor& acts) {
  BatchTopkMemory memory{.warm = false};
  column_statistics(row_major(acts.detach(), "acts"), memory);
  return {memory.mean, memory.scale};
}

Tensors3 offsets_indices_values(const at::Tensor& mask, const at::Tensor& values, bool by_column,
                                std::int64_t entries) {
  const auto lines = by_column ? kernels::BitmaskLines::columns : kernels::BitmaskLines::rows;
  const FeatureList out = bitmask_list(mask, values, lines, entries);
  return {out.offsets, out.indices, out.values};
}

void adam_step(const at::Tensor& parameters, const at::Tensor& first_moments,
               const at::Tensor& second_moments, const at::Tensor& gradients, double learning_rate,
               std::int64_t step, double beta1, double beta2, double epsilon, double weight_decay,
               bool decoupled, const OptionalTensor& copy) {
  AdamState state{parameters, first_moments, second_moments, copy.value_or(at::Tensor())};
  fused_adam(state, gradients.contiguous(),
             settings_of(learning_rate, step, beta1, beta2, epsilon, weight_decay, decoupled));
  tell_written(state);
}

void adam_decoder_step(const at::Tensor& parameters, const at::Tensor& first_moments,
                       const at::Tensor& second_moments, const at::Tensor& offsets,
                       const at::Tensor& indices, const at::Tensor& values,
                       const at::Tensor& output_gradients, double learning_rate, std::int64_t step,
                       double beta1, double beta2, double epsilon, double weight_decay,
                       bool decoupled, const OptionalTensor& copy) {
  TORCH_CHECK(output_gradients.dim() == 3 && output_gradients.size(1) > 0,
              "output_gradients: must be [tokens, layers, model]");
  AdamState state{parameters, first_moments, second_moments, copy.value_or(at::Tensor())};
  kernels::SparseDecoderShape shape;
  shape.tokens = output_gradients.size(0);
  shape.layers = output_gradients.size(1);
  shape.model = output_gradients.size(2);
  shape.features = (offsets.numel() - 1) / shape.layers;
  TORCH_CHECK(offsets.numel() == shape.columns() + 1,
              "offsets: must be one more than layers * features");
  fused_adam_decoder(
      state, shape, {offsets, indices, values}, output_gradients.contiguous(),
      settings_of(learning_rate, step, beta1, beta2, epsilon, weight_decay, decoupled));
  tell_written(state);
}

std::vector<at::Tensor> shard_memory(const at::Tensor& acts, std::int64_t groups) {
  const ShardTopkMemory memory = shard_topk_memory(acts, groups);
  return {memory.state, memory.counts, memory.shares, memory.own_count};
}

void shard_count(const at::Tensor& acts, std::int64_t count, std::int64_t round,
                 at::TensorList memory, bool positives_only, const OptionalTensor& mean,
                 const OptionalTensor& scale) {
  shard_call(acts, count, memory, positives_only, mean, scale,
             [&](const ShardTopkCall& call) { shard_topk_count(call, static_cast<int>(round)); });
}

void shard_choose(const at::Tensor& acts, std::int64_t count, std::int64_t round,
                  at::TensorList memory, bool positives_only, const OptionalTensor& mean,
                  const OptionalTensor& scale) {
  shard_call(acts, count, memory, positives_only, mean, scale,
             [&](const ShardTopkCall& call) { shard_topk_choose(call, static_cast<int>(round)); });
}

void shard_shares(const at::Tensor& acts, std::int64_t count, at::TensorList memory,
                  bool positives_only, const OptionalTensor& mean, const OptionalTensor& scale) {
  shard_call(acts, count, memory, positives_only, mean, scale, shard_topk_shares);
}

void shard_own_count(const at::Tensor& acts, std::int64_t count, const at::Tensor& all_shares,
                     std::int64_t shard, at::TensorList memory, bool positives_only,
                     const OptionalTensor& mean, const OptionalTensor& scale) {
  shard_call(acts, count, memory, positives_only, mean, scale,
             [&](const ShardTopkCall& call) { shard_topk_own_count(call, all_shares, shard); });
}

}  // namespace stepscope::aten
