// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/sparse_decoder.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "kernels/aten/device_call.hpp"
#include "kernels/sparse_decoder/sparse_decoder_reference.hpp"

namespace stepscope::aten {
namespace {

constexpr std::int64_t kSide = std::int64_t{1} << 31;

at::Tensor outputs_on_host(const DecoderShape& shape, const FeatureList& by_token,
                           const at::Tensor& weights, const at::Tensor& bias) {
  return tensor_of(
      kernels::forward_reference(shape, host_by_token(by_token), host_numbers(weights),
                                 bias.defined() ? host_numbers(bias) : std::vector<double>()),
      {shape.tokens, shape.layers, shape.model}, weights.scalar_type());
}

at::Tensor activation_gradient_on_host(const DecoderShape& shape, const FeatureList& by_token,
                                       const at::Tensor& weights,
                                       const at::Tensor& output_gradients) {
  std::vector<double> found = kernels::activation_gradient_reference(
      shape, host_by_token(by_token), host_numbers(weights), host_numbers(output_gradients));
  const std::int64_t entries = by_token.indices.numel();
  found.resize(static_cast<std::size_t>(entries));
  return tensor_of(found, {entries}, by_token.values.scalar_type());
}

}  // namespace

DecoderShape decoder_shape_of(const at::Tensor& acts, const at::Tensor& weights,
                              std::int64_t layers) {
  TORCH_CHECK(layers >= 1 && acts.size(1) > 0 && acts.size(1) % layers == 0,
              "layers: must divide the columns of acts, ", acts.size(1), ", is ", layers);
  TORCH_CHECK(weights.dim() == 1, "weights: must have 1 dimension, has ", weights.dim());
  DecoderShape shape;
  shape.layers = layers;
  shape.features = acts.size(1) / layers;
  shape.tokens = acts.size(0);
  const std::int64_t vectors = layers < kSide / layers ? shape.pairs() * shape.features : 0;
  TORCH_CHECK(vectors > 0 && weights.numel() > 0 && weights.numel() % vectors == 0,
              "weights: must be vectors of equal length for each of ", vectors,
              " pairs of a feature and a target, has ", weights.numel(), " numbers");
  shape.model = weights.numel() / vectors;
  must("sparse_decoder", kernels::validate(shape));
  return shape;
}

kernels::ConstLayerRows layer_rows(const DecoderShape& shape, const at::Tensor& rows) {
  return {rows.const_data_ptr(), key_type_of(rows, "output_gradients"), shape.layers * shape.model,
          shape.model};
}

kernels::ConstLayerRows checked_layer_rows(const DecoderShape& shape, const at::Tensor& rows,
                                           const at::Tensor& parameters) {
  check_together(rows, "output_gradients", parameters);
  TORCH_CHECK(rows.is_contiguous() && rows.numel() == shape.tokens * shape.layers * shape.model,
              "output_gradients: must be [tokens, layers, model], contiguous");
  return layer_rows(shape, rows);
}

at::Tensor decoder_outputs(const DecoderShape& shape, const FeatureList& by_token,
                           const at::Tensor& weights, const at::Tensor& bias) {
  if (on_host(weights, "weights")) return outputs_on_host(shape, by_token, weights, bias);
  at::Tensor outputs = at::empty({shape.tokens, shape.layers, shape.model}, weights.options());
  kernels::SparseDecoderForward arguments;
  arguments.shape = shape;
  arguments.by_token = view_of(by_token);
  arguments.weights = weights.const_data_ptr();
  arguments.weight_type = key_type_of(weights, "weights");
  if (bias.defined()) arguments.bias = bias.const_data_ptr<float>();
  arguments.outputs = {outputs.mutable_data_ptr(), arguments.weight_type,
                       shape.layers * shape.model, shape.model};
  const DeviceCall call(weights);
  must("sparse_decoder", kernels::sparse_decoder_forward(arguments, call.stream()));
  return outputs;
}

// The kernel writes no float16: its type is then float32, rounded here.
at::Tensor decoder_activation_gradient(const DecoderShape& shape, const FeatureList& by_token,
                                       const at::Tensor& weights,
                                       const at::Tensor& output_gradients) {
  if (on_host(weights, "weights"))
    return activation_gradient_on_host(shape, by_token, weights, output_gradients);
  const at::ScalarType type = by_token.values.scalar_type();
  at::Tensor gradients =
      at::empty(by_token.values.sizes(),
                by_token.values.options().dtype(type == at::kHalf ? at::kFloat : type));
  kernels::SparseDecoderActivationGradient arguments;
  arguments.shape = shape;
  arguments.by_token = view_of(by_token);
  arguments.weights = weights.const_data_ptr();
  arguments.weight_type = key_type_of(weights, "weights");
  arguments.output_gradients = layer_rows(shape, output_gradients);
  arguments.gradients = gradients.mutable_data_ptr();
  arguments.gradient_type = key_type_of(gradients, "gradients");
  arguments.workspace_bytes = kernels::sparse_decoder_workspace_bytes(arguments);
  const DeviceCall call(weights);
  const at::Tensor workspace = device_bytes(arguments.workspace_bytes, weights.device());
  arguments.workspace = workspace.mutable_data_ptr();
  must("sparse_decoder", kernels::sparse_decoder_activation_gradient(arguments, call.stream()));
  return gradients.to(type);
}

at::Tensor decoder_weight_gradient(const DecoderShape& shape, const FeatureList& by_column,
                                   const at::Tensor& output_gradients) {
  if (on_host(output_gradients, "output_gradients"))
    return tensor_of(
        kernels::weight_gradient_reference(shape, host_by_token(by_column, shape.tokens),
                                           host_numbers(output_gradients)),
        {shape.weights()}, output_gradients.scalar_type());
  at::Tensor gradients = at::empty({shape.weights()}, output_gradients.options());
  kernels::SparseDecoderWeightGradient arguments;
  arguments.shape = shape;
  arguments.by_feature = view_of(by_column);
  arguments.output_gradients = layer_rows(shape, output_gradients);
  arguments.gradients = gradients.mutable_data_ptr();
  arguments.gradient_type = key_type_of(gradients, "output_gradients");
  const DeviceCall call(output_gradients);
  must("sparse_decoder", kernels::sparse_decoder_weight_gradient(arguments, call.stream()));
  return gradients;
}

at::Tensor decoder_bias_gradient(const DecoderShape& shape, const at::Tensor& output_gradients) {
  const at::ScalarType type =
      output_gradients.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  if (on_host(output_gradients, "output_gradients"))
    return tensor_of(kernels::bias_gradient_reference(shape, host_numbers(output_gradients)),
                     {shape.layers, shape.model}, type);
  at::Tensor gradients =
      at::empty({shape.layers, shape.model}, output_gradients.options().dtype(type));
  kernels::SparseDecoderBiasGradient arguments;
  arguments.shape = shape;
  arguments.output_gradients = layer_rows(shape, output_gradients);
  arguments.gradients = gradients.mutable_data_ptr<float>();
  const DeviceCall call(output_gradients);
  must("sparse_decoder", kernels::sparse_decoder_bias_gradient(arguments, call.stream()));
  return gradients;
}

}  // namespace stepscope::aten
