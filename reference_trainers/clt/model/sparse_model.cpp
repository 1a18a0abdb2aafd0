// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/sparse_model.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/stack.h>

#include <string>
#include <utility>

#include "reference_trainers/clt/model/model.hpp"
#include "reference_trainers/clt/model/stacked_layers.hpp"

namespace stepscope::clt {
namespace {

at::Tensor flat_decoder(const Model& model, const SparseShape& shape) {
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
  return decoder;
}

at::Tensor of_layer(const SparseShape& shape, const at::Tensor& columns, std::int64_t layer) {
  return columns.slice(-1, layer * shape.features, (layer + 1) * shape.features);
}

}  // namespace

SparseShape sparse_shape(const Config& config) {
  return {config.layers, config.features, config.d_model, config.batch};
}

SparseModel make_sparse_model(const Config& config, at::Device device, trainers::Span features) {
  const at::NoGradGuard no_grad;
  SparseShape shape = sparse_shape(config);
  shape.features = features.size();
  const Model model(config, device, features);
  const auto weights = [&](const at::Tensor& parameters) {
    return config.fixes.moments_8bit ? aten::coded_state(parameters, shape.model)
                                     : untouched(parameters);
  };
  return {shape, weights(at::stack(model.encoders())), untouched(at::cat(model.encoder_biases())),
          weights(flat_decoder(model, shape)), untouched(at::cat(model.decoder_biases()))};
}

at::Tensor SparseModel::encode(const std::vector<at::Tensor>& inputs) const {
  at::Tensor all = at::empty({shape.tokens, shape.columns()}, inputs.front().options());
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    at::Tensor out = of_layer(shape, all, layer);
    at::addmm_out(out, of_layer(shape, encoder_bias.parameters, layer),
                  inputs[static_cast<std::size_t>(layer)], encoder.parameters.select(0, layer).t());
  }
  return all;
}

// All layers in one product: one after the other they leave a device's last multiprocessors idle
// as often as there are layers.
at::Tensor SparseModel::encode_without_bias(const std::vector<at::Tensor>& inputs) const {
  at::Tensor all = at::empty({shape.tokens, shape.columns()}, inputs.front().options());
  at::Tensor of_layers = all.view({shape.tokens, shape.layers, -1}).transpose(0, 1);
  at::bmm_out(of_layers, stacked_layers(inputs), encoder.parameters.transpose(1, 2));
  return all;
}

at::Tensor SparseModel::encoder_gradient(const at::Tensor& preactivation_gradients,
                                         const std::vector<at::Tensor>& inputs) const {
  at::Tensor out = at::empty_like(encoder.parameters);
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    at::Tensor of = out.select(0, layer);
    at::mm_out(of, of_layer(shape, preactivation_gradients, layer).t(),
               inputs[static_cast<std::size_t>(layer)]);
  }
  return out;
}

at::Tensor SparseModel::decoder_norms() const {
  std::vector<at::Tensor> norms;
  for (std::int64_t source = 0; source < shape.layers; ++source)
    norms.push_back(weights_of_source(shape, decoder.parameters, source).square().sum(1).sqrt());
  return at::cat(norms);
}

std::int64_t SparseModel::parameter_count() const {
  return encoder.parameters.numel() + encoder_bias.parameters.numel() + decoder.parameters.numel() +
         decoder_bias.parameters.numel();
}

TrainerState SparseModel::state() const {
  const std::pair<const char*, const AdamState&> states[] = {{"encoder", encoder},
                                                             {"encoder_bias", encoder_bias},
                                                             {"decoder", decoder},
                                                             {"decoder_bias", decoder_bias}};
  TrainerState all;
  for (const auto& [name, state] : states) {
    all.emplace_back(std::string(name) + ".parameters", state.parameters);
    all.emplace_back(std::string(name) + ".first_moments", state.first_moments);
    all.emplace_back(std::string(name) + ".second_moments", state.second_moments);
    if (state.coded()) all.emplace_back(std::string(name) + ".scales", state.scales);
  }
  return all;
}

}  // namespace stepscope::clt
