// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/selection/batch_topk.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "reference_trainers/clt/selection/hierarchical_topk.hpp"

namespace stepscope::clt {
namespace {

std::vector<at::Tensor> keys_of(const std::vector<at::Tensor>& preactivations) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> keys;
  for (const at::Tensor& layer : preactivations) keys.push_back(ranking_keys(layer));
  return keys;
}

}  // namespace

at::Tensor ranking_keys(const at::Tensor& preactivations) {
  const at::Tensor mean = preactivations.mean(0, /*keepdim=*/true);
  const at::Tensor std = preactivations.std(0, /*unbiased=*/true, /*keepdim=*/true);
  return (preactivations - mean) / (std + kScoreEpsilon);
}

at::Tensor batch_topk_mask(const at::Tensor& keys, std::int64_t k) {
  const at::NoGradGuard no_grad;
  const std::int64_t count = std::min(k * keys.size(0), keys.numel());
  at::Tensor mask = at::zeros({keys.numel()}, keys.options().dtype(at::kBool));
  if (count > 0) {
    const at::Tensor winners = std::get<1>(
        at::topk(keys.reshape({-1}), count, /*dim=*/-1, /*largest=*/true, /*sorted=*/false));
    mask.index_put_({winners}, at::scalar_tensor(true, at::kBool));
  }
  return mask.view_as(keys);
}

at::Tensor selection_mask(const at::Tensor& keys, std::int64_t k, std::int64_t hierarchical_ranks) {
  return hierarchical_ranks > 1 ? hierarchical_topk_mask(keys, k, hierarchical_ranks)
                                : batch_topk_mask(keys, k);
}

std::vector<at::Tensor> keep(const std::vector<at::Tensor>& preactivations,
                             const at::Tensor& mask) {
  const at::Tensor all = at::cat(preactivations, 1);
  const at::Tensor kept = all * mask.to(all.scalar_type());
  return kept.split(preactivations.front().size(1), /*dim=*/1);
}

std::vector<at::Tensor> batch_topk(const std::vector<at::Tensor>& preactivations, std::int64_t k,
                                   std::int64_t hierarchical_ranks) {
  return keep(preactivations,
              selection_mask(at::cat(keys_of(preactivations), 1), k, hierarchical_ranks));
}

}  // namespace stepscope::clt
