// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/data/made_activations.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding_bag.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <tuple>

#include "reference_trainers/common/at_once.hpp"
#include "reference_trainers/common/random.hpp"

namespace stepscope::clt {
namespace {

constexpr double kNoise = 0.02;

std::int64_t true_features(const Config& config) {
  return std::max<std::int64_t>(1, config.features / 4);
}

// Half of the k features that may be active a token, spread over the layers.
double rate(const Config& config) {
  const auto active = static_cast<double>(config.k) / 2 / static_cast<double>(config.layers);
  return std::min(0.5, active / static_cast<double>(true_features(config)));
}

at::Tensor directions(const Config& config, at::Generator& random) {
  const at::Tensor raw = at::randn({true_features(config), config.d_model}, random);
  return raw / raw.norm(2, {1}, /*keepdim=*/true);
}

at::Tensor strengths(const Config& config, at::Generator& random) {
  const at::Tensor present = at::rand({config.rows, true_features(config)}, random) < rate(config);
  return present * (at::rand({config.rows, true_features(config)}, random) + 0.5);
}

at::Tensor noise(const Config& config, at::Generator& random) {
  return kNoise * at::randn({config.rows, config.d_model}, random);
}

// The features of each row that have a strength, one row behind the other.
struct Active {
  at::Tensor features, strengths, first_of_row;
};

Active active_of(const at::Tensor& strengths) {
  const at::Tensor present = strengths != 0;
  const at::Tensor of_row = present.sum(1);
  return {present.nonzero().select(1, 1).contiguous(), strengths.masked_select(present),
          of_row.cumsum(0) - of_row};
}

// strengths x directions; few strengths are not zero.
at::Tensor sum_of(const Active& active, const at::Tensor& directions) {
  constexpr std::int64_t kSum = 0;
  return std::get<0>(at::embedding_bag(directions, active.features, active.first_of_row,
                                       /*scale_grad_by_freq=*/false, kSum, /*sparse=*/false,
                                       active.strengths));
}

MadeActivations rows_of(const Config& config, trainers::RandomStream stream) {
  const auto layers = static_cast<std::size_t>(config.layers);
  MadeActivations made{std::vector<at::Tensor>(layers),
                       std::vector<at::Tensor>(layers),
                       std::vector<at::Tensor>(layers),
                       std::vector<at::Tensor>(layers),
                       std::vector<std::vector<at::Tensor>>(layers),
                       kNoise};
  std::vector<Active> active(layers);
  trainers::for_each_at_once(layers, [&](std::size_t layer) {
    at::Generator rows = trainers::seeded_generator(config.seed, stream, layer);
    made.strengths[layer] = strengths(config, rows);
    active[layer] = active_of(made.strengths[layer]);
    made.inputs[layer] = noise(config, rows);
    made.targets[layer] = noise(config, rows);
    at::Generator origin =
        trainers::seeded_generator(config.seed, trainers::RandomStream::directions, layer);
    made.reads[layer] = directions(config, origin);
    for (std::size_t source = 0; source <= layer; ++source)
      made.writes[layer].push_back(directions(config, origin));
  });
  trainers::for_each_at_once(layers, [&](std::size_t layer) {
    made.inputs[layer] += sum_of(active[layer], made.reads[layer]);
    for (std::size_t source = 0; source <= layer; ++source)
      made.targets[layer] += sum_of(active[source], made.writes[layer][source]);
  });
  return made;
}

}  // namespace

MadeActivations make_activations(const Config& config) {
  return rows_of(config, trainers::RandomStream::activations);
}

MadeActivations make_held_out(const Config& config, std::int64_t rows) {
  Config other = config;
  other.rows = rows;
  return rows_of(other, trainers::RandomStream::held_out);
}

}  // namespace stepscope::clt
