// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/parameters.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>

#include <cmath>

#include "reference_trainers/common/at_once.hpp"
#include "reference_trainers/common/random.hpp"

namespace stepscope::llm {
namespace {

constexpr double kDeviation = 0.02;

// Numbers of one layer, on the host; part 0 is the embedding.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t part)
      : random_(trainers::seeded_generator(seed, trainers::RandomStream::weights, part)) {}

  at::Tensor matrix(std::int64_t rows, std::int64_t columns, double deviation = kDeviation) {
    return at::empty({rows, columns}).normal_(0, deviation, random_);
  }

 private:
  at::Generator random_;
};

at::Tensor ones(std::int64_t size) {
  return at::ones({size});
}

LayerWeights layer_on_host(const Config& config, std::uint64_t layer) {
  const Shape& shape = config.shape;
  const std::int64_t d = shape.d_model, kv = shape.kv_size();
  // What is added to the residual starts smaller the more layers add to it (GPT-2).
  const double residual = kDeviation / std::sqrt(2 * static_cast<double>(shape.layers));
  Draw draw(config.seed, layer + 1);
  LayerWeights out;
  out.attention_norm = ones(d);
  out.query = draw.matrix(d, d);
  out.key = draw.matrix(kv, d);
  out.value = draw.matrix(kv, d);
  out.query_norm = ones(shape.head_size());
  out.key_norm = ones(shape.head_size());
  out.attention_output = draw.matrix(d, d, residual);
  out.mlp_norm = ones(d);
  out.gate = draw.matrix(shape.hidden, d);
  out.up = draw.matrix(shape.hidden, d);
  out.down = draw.matrix(d, shape.hidden, residual);
  if (!config.rungs.packed) return out;
  out.query_key_value = at::cat({out.query, out.key, out.value});
  out.gate_up = at::cat({out.gate, out.up});
  out.query = out.key = out.value = out.gate = out.up = at::Tensor();
  return out;
}

}  // namespace

std::vector<at::Tensor*> fields_of(LayerWeights& layer) {
  std::vector<at::Tensor*> defined;
  for (at::Tensor* tensor :
       {&layer.attention_norm, &layer.query, &layer.key, &layer.value, &layer.query_key_value,
        &layer.query_norm, &layer.key_norm, &layer.attention_output, &layer.mlp_norm, &layer.gate,
        &layer.up, &layer.gate_up, &layer.down})
    if (tensor->defined()) defined.push_back(tensor);
  return defined;
}

Weights make_weights(const Config& config, at::Device device) {
  Weights all;
  all.layers.resize(static_cast<std::size_t>(config.shape.layers));
  trainers::for_each_at_once(all.layers.size() + 1, [&](std::size_t part) {
    if (part < all.layers.size()) {
      all.layers[part] = layer_on_host(config, part);
    } else {
      all.embedding = Draw(config.seed, 0).matrix(config.shape.vocabulary, config.shape.d_model);
    }
  });
  all.final_norm = ones(config.shape.d_model);
  const auto place = [device](at::Tensor& tensor) {
    tensor = tensor.to(device).set_requires_grad(true);
  };
  place(all.embedding);
  place(all.final_norm);
  for (LayerWeights& layer : all.layers)
    for (at::Tensor* tensor : fields_of(layer)) place(*tensor);
  return all;
}

std::vector<Parameter> take_parameters(Weights& weights, bool bf16_copies) {
  std::vector<Parameter> all;
  const auto add = [&](const std::string& name, at::Tensor& weight) {
    if (!weight.defined()) return;
    const at::Tensor master = weight;
    if (bf16_copies) weight = master.detach().to(at::kBFloat16).set_requires_grad(true);
    all.push_back({name, master, weight, master.dim() > 1});
  };
  add("embedding", weights.embedding);
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    LayerWeights& layer = weights.layers[i];
    const std::string in = "layers." + std::to_string(i) + ".";
    add(in + "attention_norm", layer.attention_norm);
    add(in + "query", layer.query);
    add(in + "key", layer.key);
    add(in + "value", layer.value);
    add(in + "query_key_value", layer.query_key_value);
    add(in + "query_norm", layer.query_norm);
    add(in + "key_norm", layer.key_norm);
    add(in + "attention_output", layer.attention_output);
    add(in + "mlp_norm", layer.mlp_norm);
    add(in + "gate", layer.gate);
    add(in + "up", layer.up);
    add(in + "gate_up", layer.gate_up);
    add(in + "down", layer.down);
  }
  add("final_norm", weights.final_norm);
  return all;
}

}  // namespace stepscope::llm
