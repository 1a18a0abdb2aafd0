// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/sparse_auxiliary.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "reference_trainers/clt/model/auxiliary_loss.hpp"

namespace stepscope::clt {
namespace {

// A view: the vectors of a layer's features for the layer itself.
at::Tensor own_vectors(const SparseShape& shape, const at::Tensor& flat, std::int64_t layer) {
  return weights_of_source(shape, flat, layer).slice(1, 0, shape.model);
}

// Keeps the `count` greatest preactivations of a token, among `all` dead features of all ranks.
at::Tensor greatest(const at::Tensor& preactivations, std::int64_t count, std::int64_t all,
                    const Ranks& ranks) {
  if (count >= all) return preactivations.clamp_min(0);
  const auto [values, places] = at::topk(preactivations, std::min(count, preactivations.size(1)),
                                         /*dim=*/-1, /*largest=*/true, /*sorted=*/false);
  return at::zeros_like(preactivations)
      .scatter_(1, places, ranks.keep_greatest(values.clamp_min(0), count));
}

// Scales lie as weights do: a vector's are this many numbers.
SparseShape shape_of_scales(SparseShape shape, const at::Tensor& scales) {
  shape.model = scales.size(1) * scales.size(2);
  return shape;
}

AdamState taken(const SparseShape& shape, const AdamState& decoder, const AuxiliaryLayer& of) {
  const auto rows = [&](const SparseShape& lies, const at::Tensor& flat) {
    return own_vectors(lies, flat, of.layer).index_select(0, of.features);
  };
  AdamState out{rows(shape, decoder.parameters), rows(shape, decoder.first_moments),
                rows(shape, decoder.second_moments)};
  if (const at::Tensor& scales = decoder.scales; decoder.coded())
    out.scales = rows(shape_of_scales(shape, scales), scales.view({-1}))
                     .view({-1, scales.size(1), scales.size(2)});
  return out;
}

void put_back(const SparseShape& shape, const AuxiliaryLayer& of, AdamState& decoder) {
  const auto write = [&](const SparseShape& lies, const at::Tensor& flat, const at::Tensor& rows) {
    own_vectors(lies, flat, of.layer).index_copy_(0, of.features, rows);
  };
  write(shape, decoder.parameters, of.vectors.parameters);
  write(shape, decoder.first_moments, of.vectors.first_moments);
  write(shape, decoder.second_moments, of.vectors.second_moments);
  if (decoder.coded())
    write(shape_of_scales(shape, decoder.scales), decoder.scales.view({-1}),
          of.vectors.scales.flatten(1));
}

}  // namespace

Auxiliary auxiliary_of(const SparseShape& shape, const Config& config, const Ranks& ranks,
                       const at::Tensor& dead, const at::Tensor& preactivations,
                       const AdamState& decoder, const at::Tensor& errors,
                       const at::Tensor& deviations) {
  Auxiliary auxiliary;
  const at::Tensor own_counts = dead.sum(1);
  const at::Tensor counts = at::stack({own_counts, ranks.sum_of_features(own_counts)}).cpu();
  if (counts[1].sum().item<std::int64_t>() == 0) return auxiliary;
  const at::Tensor columns = at::nonzero(dead.view({-1})).select(1, 0);
  auxiliary.loss = at::zeros({}, errors.options());
  for (std::int64_t layer = 0, begin = 0; layer < shape.layers; ++layer) {
    const std::int64_t own = counts.const_data_ptr<std::int64_t>()[layer];
    const std::int64_t all = counts.const_data_ptr<std::int64_t>()[shape.layers + layer];
    if (all == 0) continue;
    AuxiliaryLayer of{.layer = layer, .columns = columns.slice(0, begin, begin + own)};
    begin += own;
    of.features = of.columns - layer * shape.features;
    of.kept = greatest(preactivations.index_select(1, of.columns), config.aux_k, all, ranks);
    of.vectors = taken(shape, decoder, of);
    const at::Tensor deviation = deviations.select(0, layer);
    const at::Tensor rebuilt = ranks.sum_of_features(of.kept.mm(of.vectors.parameters));
    const at::Tensor difference = rebuilt * deviation + errors.select(1, layer);
    const double weight = config.aux_k_coef * auxiliary_scale(all, config.aux_k) /
                          static_cast<double>(difference.numel());
    auxiliary.loss += difference.square().sum() * weight;
    of.output_gradients = difference * (deviation * (2 * weight));
    if (own > 0) auxiliary.layers.push_back(of);
  }
  return auxiliary;
}

void add_preactivation_gradients(const Auxiliary& auxiliary, at::Tensor& gradients) {
  for (const AuxiliaryLayer& of : auxiliary.layers) {
    const at::Tensor of_kept = of.output_gradients.mm(of.vectors.parameters.t());
    gradients.index_add_(1, of.columns, of_kept * (of.kept > 0));
  }
}

at::Tensor vector_gradients(const AuxiliaryLayer& of, const at::Tensor& activations,
                            const at::Tensor& output_gradients) {
  const at::Tensor own = activations.index_select(1, of.columns);
  return of.kept.t().mm(of.output_gradients) + own.t().mm(output_gradients.select(1, of.layer));
}

void update_vectors(Auxiliary& auxiliary, SparseOps& ops, const SparseShape& shape,
                    AdamState& decoder, const ActiveFeatures& active,
                    const at::Tensor& output_gradients, double learning_rate, std::int64_t step) {
  if (auxiliary.layers.empty()) return;
  const at::Tensor activations = dense_activations(shape, active.by_token);
  for (AuxiliaryLayer& of : auxiliary.layers) {
    ops.update(of.vectors, vector_gradients(of, activations, output_gradients), learning_rate,
               step);
    put_back(shape, of, decoder);
  }
}

}  // namespace stepscope::clt
