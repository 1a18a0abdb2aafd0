// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/fp8_layers.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>

#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/model/fp8_calls.hpp"
#include "reference_trainers/llm/model/parameters.hpp"

namespace stepscope::llm {
namespace {

using kernels::Fp8Format;

constexpr std::int64_t kHistory = 16;
std::size_t sites_of(const Config& config) {
  return 4 * static_cast<std::size_t>(config.shape.layers) + (config.rungs.fp8_head ? 1 : 0);
}

Fp8Format gradient_format(const Config& config) {
  return config.fp8.gradients == Fp8Gradients::e4m3 ? Fp8Format::e4m3 : Fp8Format::e5m2;
}

std::vector<Fp8Format> formats_of_steps(const Config& config) {
  std::vector<Fp8Format> all;
  for (std::size_t i = 0; i < sites_of(config); ++i) {
    all.push_back(Fp8Format::e4m3);
    all.push_back(gradient_format(config));
  }
  return all;
}

// Returns the slot for the gradient of cross entropy by each logit, before it is multiplied by its
// token's share: at most 1.
Fp8Slot slot_of_parts(Fp8Format format, const at::Tensor& beside) {
  const double scale = kernels::fp8_scale(1, kernels::layout_of(format).greatest);
  const at::Tensor on_device = at::full({}, scale, beside.options().requires_grad(false));
  return {format, {}, on_device.to(at::kFloat), {}, {}};
}

// Measures all weights: one update of the scales between two passes over each.
void measure_weight(const Fp8Site& site) {
  const kernels::KeyType type = site.weight.scalar_type() == at::kFloat
                                    ? kernels::KeyType::float32
                                    : kernels::KeyType::bfloat16;
  fp8_call(kernels::Fp8Amax{type, site.weight.numel(), site.weight.const_data_ptr(),
                            site.of_weight.amax.mutable_data_ptr<float>()},
           site.weight);
}

}  // namespace

Fp8Layers::Fp8Layers(const Config& config, Weights& weights)
    : current_scaling_(config.fp8.scaling == Fp8Scaling::current),
      mode_(std::make_shared<Fp8Mode>()),
      of_weights_(std::vector<Fp8Format>(sites_of(config), Fp8Format::e4m3), 0,
                  weights.embedding.device()),
      of_steps_(formats_of_steps(config), current_scaling_ ? 0 : kHistory,
                weights.embedding.device()) {
  mode_->fast_gradient_sums = config.fp8.gradient_sums == Fp8Sums::fast;
  for (LayerWeights& layer : weights.layers)
    layer.fp8 = {add_site(layer.query_key_value), add_site(layer.attention_output),
                 add_site(layer.gate_up), add_site(layer.down)};
  if (!config.rungs.fp8_head) return;
  head_ = add_site(weights.embedding);
  head_->of_gradient = slot_of_parts(gradient_format(config), weights.embedding);
}

Fp8SitePtr Fp8Layers::add_site(const at::Tensor& weight) {
  const auto site = c10::make_intrusive<Fp8Site>();
  const std::size_t place = sites_.size();
  site->weight = weight;
  site->of_weight = of_weights_.slot(place);
  site->of_input = of_steps_.slot(2 * place);
  site->of_gradient = of_steps_.slot(2 * place + 1);
  site->codes = empty_fp8(weight.size(0), weight.size(1), Fp8Format::e4m3, weight);
  site->codes.inverse = site->of_weight.inverse;
  site->mode = mode_;
  sites_.push_back(site);
  return site;
}

void Fp8Layers::begin_step(const std::function<void(const at::Tensor&)>& over_ranks) {
  const at::NoGradGuard no_grad;
  if (!current_scaling_ && measured_) {
    agree(over_ranks);
    of_steps_.update();
    mode_->scales_known = true;
  }
  measured_ = true;
  for (const Fp8SitePtr& site : sites_) measure_weight(*site);
  of_weights_.update();
  for (const Fp8SitePtr& site : sites_) quantise_into(site->codes, site->of_weight, site->weight);
}

std::vector<std::pair<std::string, at::Tensor>> Fp8Layers::state() const {
  if (current_scaling_) return {};
  return {{"fp8.amax", of_steps_.amaxes()}, {"fp8.history", of_steps_.history()}};
}

void Fp8Layers::restored() {
  measured_ = !current_scaling_ && (of_steps_.amaxes().gt(0).any().item<bool>() ||
                                    of_steps_.history().gt(0).any().item<bool>());
}

}  // namespace stepscope::llm
