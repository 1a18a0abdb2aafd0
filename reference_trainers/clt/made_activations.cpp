// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/made_activations.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <functional>

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

// `next_direction` gives the directions in the order in which they are used. Each draw is a
// statement of its own: their order is what a seed stands for.
MadeActivations rows_of(const Config& config, at::Generator random,
                        const std::function<at::Tensor(at::Generator&)>& next_direction) {
  MadeActivations made;
  made.noise = kNoise;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    made.strengths.push_back(strengths(config, random));
    const at::Tensor input_noise = noise(config, random);
    made.reads.push_back(next_direction(random));
    made.inputs.push_back(at::matmul(made.strengths.back(), made.reads.back()) + input_noise);
    at::Tensor target = noise(config, random);
    std::vector<at::Tensor>& writes = made.writes.emplace_back();
    for (const at::Tensor& source : made.strengths) {
      writes.push_back(next_direction(random));
      target += at::matmul(source, writes.back());
    }
    made.targets.push_back(target);
  }
  return made;
}

std::vector<at::Tensor> directions_of(const MadeActivations& made) {
  std::vector<at::Tensor> all;
  for (std::size_t layer = 0; layer < made.reads.size(); ++layer) {
    all.push_back(made.reads[layer]);
    all.insert(all.end(), made.writes[layer].begin(), made.writes[layer].end());
  }
  return all;
}

}  // namespace

MadeActivations make_activations(const Config& config) {
  return rows_of(config,
                 trainers::seeded_generator(config.seed, trainers::RandomStream::activations),
                 [&](at::Generator& random) { return directions(config, random); });
}

MadeActivations make_held_out(const Config& config, std::int64_t rows) {
  const std::vector<at::Tensor> known = directions_of(make_activations(config));
  Config other = config;
  other.rows = rows;
  std::size_t used = 0;
  return rows_of(other, trainers::seeded_generator(config.seed, trainers::RandomStream::held_out),
                 [&](at::Generator&) { return known[used++]; });
}

}  // namespace stepscope::clt
