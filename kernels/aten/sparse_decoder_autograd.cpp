// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/device_call.hpp"
#include "kernels/aten/sparse_decoder.hpp"

namespace stepscope::aten {
namespace {

using Variables = torch::autograd::variable_list;

enum Input : std::size_t { kActs, kMask, kWeights, kBias };

class Decode : public torch::autograd::Function<Decode> {
 public:
  // The list by columns is for the gradient of the weights alone.
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& acts,
                            const at::Tensor& mask, const at::Tensor& weights,
                            const std::optional<at::Tensor>& bias, std::int64_t layers,
                            std::int64_t entries, bool weights_learn) {
    const DecoderShape shape = decoder_shape_of(acts, weights, layers);
    const FeatureList by_token = bitmask_list(mask, acts, kernels::BitmaskLines::rows, entries);
    if (on_host(mask, "mask"))
      TORCH_CHECK(by_token.offsets.const_data_ptr<std::int64_t>()[shape.tokens] <= entries,
                  "entries: must be the bits set in mask, is less");
    FeatureList by_column;
    if (weights_learn)
      by_column = bitmask_list(mask, acts, kernels::BitmaskLines::columns, entries);
    context->save_for_backward({by_token.offsets, by_token.indices, by_token.values,
                                by_column.offsets, by_column.indices, by_column.values, weights});
    context->saved_data["layers"] = layers;
    if (bias.has_value()) context->saved_data["bias_sizes"] = bias->sizes().vec();
    context->saved_data["columns"] = acts.size(1);
    return decoder_outputs(shape, by_token, weights, bias.value_or(at::Tensor()));
  }

  static Variables backward(torch::autograd::AutogradContext* context, const Variables& gradients) {
    once_differentiable("sparse_decoder");
    const Variables saved = context->get_saved_variables();
    const FeatureList by_token{saved[0], saved[1], saved[2]};
    const FeatureList by_column{saved[3], saved[4], saved[5]};
    const at::Tensor& weights = saved[6];
    const at::Tensor rows = gradients[0].contiguous();
    const std::int64_t columns = context->saved_data["columns"].toInt();
    DecoderShape shape;
    shape.layers = context->saved_data["layers"].toInt();
    shape.features = columns / shape.layers;
    shape.tokens = rows.size(0);
    shape.model = rows.size(2);
    Variables out(7);
    if (context->needs_input_grad(kActs))
      out[kActs] =
          scattered(by_token, decoder_activation_gradient(shape, by_token, weights, rows), columns);
    if (by_column.offsets.defined())
      out[kWeights] = decoder_weight_gradient(shape, by_column, rows);
    const auto bias_sizes = context->saved_data.find("bias_sizes");
    if (bias_sizes != context->saved_data.end() && context->needs_input_grad(kBias))
      out[kBias] = decoder_bias_gradient(shape, rows).view(bias_sizes->second.toIntVector());
    return out;
  }
};

// The bias is float32, or float64 with weights of that type.
void check_bias(const DecoderShape& shape, const at::Tensor& weights,
                const std::optional<at::Tensor>& bias) {
  if (!bias.has_value()) return;
  check_together(*bias, "bias", weights);
  check_type(*bias, "bias", weights.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
  TORCH_CHECK(bias->is_contiguous() && bias->numel() == shape.layers * shape.model,
              "bias: must be [layers, model] = [", shape.layers, ", ", shape.model,
              "], contiguous");
}

}  // namespace

at::Tensor sparse_decoder(const at::Tensor& acts, const at::Tensor& mask, const at::Tensor& weights,
                          const std::optional<at::Tensor>& bias, std::int64_t layers,
                          std::int64_t entries) {
  const at::Tensor rows = row_major(acts, "acts");
  check_together(mask, "mask", acts);
  check_together(weights, "weights", acts);
  const at::ScalarType type = weights.scalar_type();
  TORCH_CHECK(
      type == at::kFloat || type == at::kBFloat16 || (weights.is_cpu() && type == at::kDouble),
      "weights: must be float32 or bfloat16, is ", type);
  const at::Tensor flat = weights.contiguous();
  check_bias(decoder_shape_of(rows, flat, layers), flat, bias);
  return Decode::apply(rows, mask, flat, bias, layers, entries,
                       at::GradMode::is_enabled() && flat.requires_grad());
}

}  // namespace stepscope::aten
