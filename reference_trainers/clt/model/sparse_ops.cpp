// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/sparse_ops.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace stepscope::clt {

AdamState untouched(const at::Tensor& parameters) {
  return {parameters, at::zeros_like(parameters), at::zeros_like(parameters)};
}

kernels::AdamSettings adam_settings(double learning_rate, std::int64_t step) {
  kernels::AdamSettings settings;
  settings.learning_rate = learning_rate;
  settings.step = step;
  return settings;
}

void SparseOps::list_columns(ActiveFeatures& /*active*/, const at::Tensor& /*preactivations*/) {}

void SparseOps::count_silent_steps(const ActiveFeatures& active, double threshold,
                                   const at::Tensor& steps) {
  const FeatureList& list = active.by_token;
  at::Tensor greatest = at::zeros({steps.numel()}, list.values.options());
  greatest.scatter_reduce_(0, list.indices.to(at::kLong), list.values, "amax");
  steps.add_(1).masked_fill_((greatest > threshold).view(steps.sizes()), 0);
}

SquaredLoss SparseOps::squared_loss(const at::Tensor& outputs, const at::Tensor& targets,
                                    const at::Tensor& deviations, double factor) {
  const at::Tensor difference = outputs - targets;
  const at::Tensor of_outputs = difference * (deviations.square() * (2 * factor));
  return {of_outputs.flatten().dot(difference.flatten()) / 2, of_outputs, of_outputs.sum(0)};
}

SparseOps::ByColumn SparseOps::by_column(const ActiveFeatures& active, const at::Tensor& values) {
  ByColumn out{by_column_of(active, values), {}};
  out.sums = line_sums(out.list);
  return out;
}

void SparseOps::update_decoder(AdamState& weights, const ActiveFeatures& active,
                               const at::Tensor& output_gradients, double learning_rate,
                               std::int64_t step) {
  update(weights, weight_gradient(active, output_gradients), learning_rate, step);
}

void SparseOps::update_silent(AdamState& /*weights*/, const ActiveFeatures& /*active*/,
                              double /*learning_rate*/, std::int64_t /*step*/) {}

void SparseOps::update_others(AdamState& weights, const ActiveFeatures& active,
                              const at::Tensor& output_gradients, double learning_rate,
                              std::int64_t step) {
  update_decoder(weights, active, output_gradients, learning_rate, step);
}

void SparseOps::update_encoder(AdamState& weights, const FeatureList& gradients,
                               const std::vector<at::Tensor>& inputs, double learning_rate,
                               std::int64_t step) {
  const std::int64_t tokens = inputs.front().size(0), features = weights.parameters.size(1);
  const std::int64_t columns = gradients.offsets.size(0) - 1;
  const at::Tensor dense = at::zeros({columns * tokens}, gradients.values.options());
  dense.scatter_(0, places_of(gradients, tokens), gradients.values);
  at::Tensor of_weights = at::empty_like(weights.parameters);
  for (std::int64_t layer = 0; layer < weights.parameters.size(0); ++layer) {
    at::Tensor of = of_weights.select(0, layer);
    at::mm_out(of, dense.view({columns, tokens}).slice(0, layer * features, (layer + 1) * features),
               inputs[static_cast<std::size_t>(layer)]);
  }
  update(weights, of_weights, learning_rate, step);
}

at::Tensor weights_of_source(const SparseShape& shape, const at::Tensor& flat,
                             std::int64_t source) {
  const std::int64_t width = (shape.layers - source) * shape.model;
  const std::int64_t begin = shape.vector(source, 0, source) * shape.model;
  return flat.slice(0, begin, begin + shape.features * width).view({shape.features, width});
}

// The size is an argument, so that nothing is read back from the device.
at::Tensor places_of(const FeatureList& by_token, std::int64_t columns) {
  const std::int64_t tokens = by_token.offsets.size(0) - 1;
  const at::Tensor begins = at::arange(tokens, by_token.offsets.options()) * columns;
  const at::Tensor lengths = by_token.offsets.slice(0, 1) - by_token.offsets.slice(0, 0, tokens);
  return at::repeat_interleave(begins, lengths, 0, by_token.indices.size(0)) + by_token.indices;
}

at::Tensor dense_activations(const SparseShape& shape, const FeatureList& by_token) {
  at::Tensor dense = at::zeros({shape.tokens * shape.columns()}, by_token.values.options());
  dense.scatter_(0, places_of(by_token, shape.columns()), by_token.values);
  return dense.view({shape.tokens, shape.columns()});
}

at::Tensor decode_dense(const SparseShape& shape, const at::Tensor& weights, const at::Tensor& bias,
                        const at::Tensor& activations) {
  at::Tensor outputs = bias.expand({shape.tokens, -1}).clone();
  for (std::int64_t source = 0; source < shape.layers; ++source)
    outputs.slice(1, source * shape.model)
        .addmm_(activations.slice(1, source * shape.features, (source + 1) * shape.features),
                weights_of_source(shape, weights, source));
  return outputs.view({shape.tokens, shape.layers, shape.model});
}

FeatureList by_column_of(const ActiveFeatures& active, const at::Tensor& values) {
  const FeatureList& list = active.by_column;
  const std::int64_t columns = list.offsets.size(0) - 1;
  const at::Tensor lengths = list.offsets.slice(0, 1) - list.offsets.slice(0, 0, columns);
  const at::Tensor column = at::repeat_interleave(at::arange(columns, list.offsets.options()),
                                                  lengths, 0, list.indices.size(0));
  const at::Tensor wanted = list.indices.to(at::kLong) * columns + column;
  const at::Tensor order = at::searchsorted(places_of(active.by_token, columns), wanted);
  return {list.offsets, list.indices, values.index_select(0, order)};
}

// Computes the sums as differences of one running sum, in double: without atomics, and the same on
// every run.
at::Tensor line_sums(const FeatureList& list) {
  const at::Tensor running = list.values.cumsum(0, at::kDouble);
  const at::Tensor sums = at::cat({at::zeros({1}, running.options()), running});
  const at::Tensor ends = sums.index_select(0, list.offsets);
  return (ends.slice(0, 1) - ends.slice(0, 0, ends.size(0) - 1)).to(list.values.scalar_type());
}

const char* problem_for_kernels(const SparseShape& shape) {
  if (shape.model % 8 != 0) return "--d-model must be a multiple of 8 for the CUDA kernels";
  return "";
}

#ifndef STEPSCOPE_CLT_WITH_KERNELS
std::unique_ptr<SparseOps> make_kernel_ops(const SparseShape& /*shape*/,
                                           std::unique_ptr<KernelSelection> /*selection*/) {
  return nullptr;
}
#endif

}  // namespace stepscope::clt
