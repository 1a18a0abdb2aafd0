// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/auxiliary_loss.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <limits>

namespace stepscope::clt {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

at::Tensor greatest_of_dead(const at::Tensor& preactivations, const at::Tensor& dead,
                            std::int64_t count, const Ranks& ranks) {
  const at::Tensor candidates = preactivations.masked_fill(dead.logical_not(), kNever);
  const auto [values, features] =
      at::topk(candidates, std::min(count, candidates.size(1)), /*dim=*/-1, /*largest=*/true,
               /*sorted=*/false);
  return at::zeros_like(preactivations)
      .scatter(1, features, ranks.keep_greatest(at::relu(values), count));
}

}  // namespace

double auxiliary_scale(std::int64_t dead, std::int64_t k) {
  return std::min(1.0, static_cast<double>(dead) / static_cast<double>(k));
}

at::Tensor auxiliary_loss(const std::vector<at::Tensor>& preactivations,
                          const std::vector<at::Tensor>& errors,
                          const std::vector<at::Tensor>& decoders, const at::Tensor& dead,
                          const std::vector<Normalisation>& normalisation, const Config& config,
                          const Ranks& ranks) {
  const at::Tensor counts = ranks.sum_of_features(dead.sum(1)).cpu();
  at::Tensor total = at::zeros({}, errors.front().options().requires_grad(false));
  for (std::size_t layer = 0; layer < errors.size(); ++layer) {
    const std::int64_t count = counts.const_data_ptr<std::int64_t>()[layer];
    if (count == 0) continue;
    const at::Tensor kept =
        greatest_of_dead(preactivations[layer], dead.select(0, static_cast<std::int64_t>(layer)),
                         std::min(config.aux_k, count), ranks);
    const at::Tensor rebuilt = ranks.sum_of_features(at::linear(kept, decoders[layer]));
    const at::Tensor difference = (rebuilt + errors[layer].detach()) * normalisation[layer].std;
    total = total + auxiliary_scale(count, config.aux_k) * difference.square().mean();
  }
  return config.aux_k_coef * total;
}

}  // namespace stepscope::clt
