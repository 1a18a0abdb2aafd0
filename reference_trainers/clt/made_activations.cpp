// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/made_activations.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

#include <algorithm>

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

}  // namespace

MadeActivations make_activations(const Config& config) {
  at::Generator random =
      trainers::seeded_generator(config.seed, trainers::RandomStream::activations);
  MadeActivations made;
  made.noise = kNoise;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    made.strengths.push_back(strengths(config, random));
    made.inputs.push_back(at::matmul(made.strengths.back(), directions(config, random)) +
                          noise(config, random));
    at::Tensor target = noise(config, random);
    std::vector<at::Tensor>& writes = made.writes.emplace_back();
    for (const at::Tensor& source : made.strengths) {
      writes.push_back(directions(config, random));
      target += at::matmul(source, writes.back());
    }
    made.targets.push_back(target);
  }
  return made;
}

}  // namespace stepscope::clt
