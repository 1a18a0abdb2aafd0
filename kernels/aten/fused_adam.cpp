// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/fused_adam.hpp"

#include <c10/util/Exception.h>

#include "kernels/aten/coded_adam.hpp"
#include "kernels/aten/device_call.hpp"
#include "kernels/aten/sparse_decoder.hpp"
#include "kernels/fused_adam/fused_adam_reference.hpp"

namespace stepscope::aten {
namespace {

void check_numbers(const at::Tensor& tensor, const char* name, at::ScalarType type,
                   const at::Tensor& parameters) {
  check_together(tensor, name, parameters);
  check_type(tensor, name, type);
  TORCH_CHECK(tensor.is_contiguous() && tensor.numel() == parameters.numel(), name,
              ": must be contiguous and as many as parameters");
}

kernels::AdamState kernel_state(AdamState& state) {
  const at::Tensor& parameters = state.parameters;
  check_numbers(parameters, "parameters", at::kFloat, parameters);
  check_numbers(state.first_moments, "first_moments", at::kFloat, parameters);
  check_numbers(state.second_moments, "second_moments", at::kFloat, parameters);
  kernels::AdamState view{.parameters = state.parameters.mutable_data_ptr<float>(),
                          .first_moments = state.first_moments.mutable_data_ptr<float>(),
                          .second_moments = state.second_moments.mutable_data_ptr<float>()};
  if (!state.copy.defined()) return view;
  check_numbers(state.copy, "copy", at::kBFloat16, parameters);
  view.copy = static_cast<kernels::Bfloat16*>(state.copy.mutable_data_ptr());
  return view;
}

void assign(at::Tensor& to, const std::vector<double>& numbers) {
  float* next = to.mutable_data_ptr<float>();
  for (const double number : numbers) *next++ = static_cast<float>(number);
}

void update_on_host(AdamState& state, const std::vector<double>& gradients,
                    const kernels::AdamSettings& settings) {
  kernels::HostAdamState host{host_numbers(state.parameters), host_numbers(state.first_moments),
                              host_numbers(state.second_moments)};
  kernels::adam_reference(host, gradients, settings);
  assign(state.parameters, host.parameters);
  assign(state.first_moments, host.first_moments);
  assign(state.second_moments, host.second_moments);
  if (state.copy.defined()) state.copy.copy_(state.parameters.view_as(state.copy));
}

// Returns arguments without the gradients.
kernels::FusedAdamDecoder decoder_arguments(AdamState& state,
                                            const kernels::SparseDecoderShape& shape,
                                            const FeatureList& by_column,
                                            const kernels::AdamSettings& settings) {
  kernels::FusedAdamDecoder arguments;
  arguments.state = kernel_state(state);
  TORCH_CHECK(state.parameters.numel() == shape.weights(), "parameters: must be ", shape.weights(),
              " weights, are ", state.parameters.numel());
  check_together(by_column.offsets, "by_column", state.parameters);
  arguments.shape = shape;
  arguments.by_feature = view_of(by_column);
  arguments.settings = settings;
  return arguments;
}

using OfDecoder = kernels::Status (*)(const kernels::FusedAdamDecoder&, CUstream_st*);

void adam_decoder(AdamState& state, const kernels::SparseDecoderShape& shape,
                  const FeatureList& by_column, const at::Tensor& output_gradients,
                  const kernels::AdamSettings& settings, OfDecoder on_device) {
  kernels::FusedAdamDecoder arguments = decoder_arguments(state, shape, by_column, settings);
  arguments.output_gradients = checked_layer_rows(shape, output_gradients, state.parameters);
  if (on_host(state.parameters, "parameters")) {
    must("fused_adam_decoder", validate(arguments.settings));
    return update_on_host(
        state, host_numbers(decoder_weight_gradient(shape, by_column, output_gradients)), settings);
  }
  const DeviceCall call(state.parameters);
  must("fused_adam_decoder", on_device(arguments, call.stream()));
}

}  // namespace

void fused_adam(AdamState& state, const at::Tensor& gradients,
                const kernels::AdamSettings& settings) {
  if (state.coded()) return coded_adam(state, gradients, settings);
  kernels::FusedAdam arguments;
  arguments.state = kernel_state(state);
  arguments.count = state.parameters.numel();
  check_numbers(gradients, "gradients", gradients.scalar_type(), state.parameters);
  arguments.gradient_type = key_type_of(gradients, "gradients");
  arguments.gradients = gradients.data_ptr();
  arguments.settings = settings;
  if (on_host(state.parameters, "parameters")) {
    must("fused_adam", validate(arguments.settings));
    return update_on_host(state, host_numbers(gradients), settings);
  }
  const DeviceCall call(state.parameters);
  must("fused_adam", kernels::fused_adam(arguments, call.stream()));
}

void fused_adam_decoder(AdamState& state, const kernels::SparseDecoderShape& shape,
                        const FeatureList& by_column, const at::Tensor& output_gradients,
                        const kernels::AdamSettings& settings) {
  if (state.coded())
    return coded_adam_decoder(DecoderPart::all, state, shape, by_column, output_gradients,
                              settings);
  adam_decoder(state, shape, by_column, output_gradients, settings, kernels::fused_adam_decoder);
}

void silent_adam_decoder(AdamState& state, const kernels::SparseDecoderShape& shape,
                         const FeatureList& by_column, const kernels::AdamSettings& settings) {
  if (state.coded())
    return coded_adam_decoder(DecoderPart::silent, state, shape, by_column, {}, settings);
  const kernels::FusedAdamDecoder arguments = decoder_arguments(state, shape, by_column, settings);
  must("silent_adam_decoder", validate_silent(arguments));
  if (on_host(state.parameters, "parameters")) return;
  const DeviceCall call(state.parameters);
  must("silent_adam_decoder", kernels::silent_adam_decoder(arguments, call.stream()));
}

void lazy_adam_decoder(AdamState& state, const kernels::SparseDecoderShape& shape,
                       const FeatureList& by_column, const at::Tensor& output_gradients,
                       const kernels::AdamSettings& settings) {
  if (state.coded())
    return coded_adam_decoder(DecoderPart::active, state, shape, by_column, output_gradients,
                              settings);
  adam_decoder(state, shape, by_column, output_gradients, settings, kernels::lazy_adam_decoder);
}

}  // namespace stepscope::aten
