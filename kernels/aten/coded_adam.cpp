// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/coded_adam.hpp"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include "kernels/aten/device_call.hpp"
#include "kernels/aten/sparse_decoder.hpp"

namespace stepscope::aten {
namespace {

void check_coded(const at::Tensor& tensor, const char* name, at::ScalarType type,
                 const at::Tensor& parameters) {
  check_together(tensor, name, parameters);
  check_type(tensor, name, type);
  TORCH_CHECK(tensor.is_contiguous() && tensor.numel() == parameters.numel(), name,
              ": must be contiguous and as many as parameters");
}

// The arguments without the gradients.
kernels::CodedAdam coded_arguments(AdamState& state, const kernels::AdamSettings& settings) {
  const at::Tensor& parameters = state.parameters;
  check_coded(parameters, "parameters", at::kFloat, parameters);
  check_coded(state.first_moments, "first_moments", at::kByte, parameters);
  check_coded(state.second_moments, "second_moments", at::kByte, parameters);
  check_together(state.scales, "scales", parameters);
  check_type(state.scales, "scales", at::kFloat);
  kernels::CodedAdam out;
  out.vectors = state.scales.size(0);
  out.length = out.vectors == 0 ? 0 : parameters.numel() / out.vectors;
  TORCH_CHECK(out.vectors * out.length == parameters.numel() && state.scales.is_contiguous() &&
                  state.scales.numel() == out.vectors * kernels::coded_blocks(out.length) * 2,
              "scales: must be contiguous [vectors, blocks, 2]");
  TORCH_CHECK(!state.copy.defined(), "copy: there is none beside moments as codes");
  out.state = {state.parameters.mutable_data_ptr<float>(),
               state.first_moments.mutable_data_ptr<std::uint8_t>(),
               state.second_moments.mutable_data_ptr<std::uint8_t>(),
               reinterpret_cast<kernels::MomentScales*>(state.scales.mutable_data_ptr<float>())};
  out.settings = settings;
  return out;
}

kernels::CodedAdamDecoder coded_decoder_arguments(AdamState& state,
                                                  const kernels::SparseDecoderShape& shape,
                                                  const FeatureList& by_column,
                                                  const kernels::AdamSettings& settings) {
  const kernels::CodedAdam all = coded_arguments(state, settings);
  TORCH_CHECK(all.length == shape.model && state.parameters.numel() == shape.weights(),
              "parameters: must be ", shape.weights(), " weights in vectors of ", shape.model,
              ", are ", state.parameters.numel(), " in vectors of ", all.length);
  check_together(by_column.offsets, "by_column", state.parameters);
  kernels::CodedAdamDecoder out;
  out.state = all.state;
  out.shape = shape;
  out.by_feature = view_of(by_column);
  out.settings = settings;
  return out;
}

kernels::Status coded_decoder_on_device(DecoderPart part, const kernels::CodedAdamDecoder& call,
                                        CUstream_st* stream) {
  switch (part) {
    case DecoderPart::silent:
      return kernels::silent_coded_adam_decoder(call, stream);
    case DecoderPart::active:
      return kernels::active_coded_adam_decoder(call, stream);
    case DecoderPart::all:
      break;
  }
  return kernels::coded_adam_decoder(call, stream);
}

}  // namespace

AdamState coded_state(const at::Tensor& parameters, std::int64_t length) {
  const at::Tensor codes = at::zeros_like(parameters, parameters.options().dtype(at::kByte));
  const std::int64_t vectors = parameters.numel() / length;
  return {.parameters = parameters,
          .first_moments = codes,
          .second_moments = codes.clone(),
          .scales = at::zeros({vectors, kernels::coded_blocks(length), 2}, parameters.options())};
}

void coded_adam(AdamState& state, const at::Tensor& gradients,
                const kernels::AdamSettings& settings) {
  kernels::CodedAdam arguments = coded_arguments(state, settings);
  check_coded(gradients, "gradients", at::kFloat, state.parameters);
  arguments.gradients = gradients.const_data_ptr<float>();
  if (on_host(state.parameters, "parameters"))
    return must("coded_adam", kernels::coded_adam_reference(arguments));
  const DeviceCall call(state.parameters);
  must("coded_adam", kernels::coded_adam(arguments, call.stream()));
}

void coded_adam_decoder(DecoderPart part, AdamState& state,
                        const kernels::SparseDecoderShape& shape, const FeatureList& by_column,
                        const at::Tensor& output_gradients, const kernels::AdamSettings& settings) {
  kernels::CodedAdamDecoder arguments = coded_decoder_arguments(state, shape, by_column, settings);
  if (part != DecoderPart::silent) {
    check_together(output_gradients, "output_gradients", state.parameters);
    arguments.output_gradients = checked_layer_rows(shape, output_gradients, state.parameters);
  }
  if (on_host(state.parameters, "parameters")) {
    if (part != DecoderPart::silent)
      coded_adam(state, decoder_weight_gradient(shape, by_column, output_gradients), settings);
    return;
  }
  const DeviceCall call(state.parameters);
  must("coded_adam_decoder", coded_decoder_on_device(part, arguments, call.stream()));
}

}  // namespace stepscope::aten
