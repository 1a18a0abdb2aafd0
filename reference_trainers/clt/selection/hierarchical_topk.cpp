// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/selection/hierarchical_topk.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace stepscope::clt {

at::Tensor hierarchical_topk_mask(const at::Tensor& keys, std::int64_t k, std::int64_t ranks) {
  const at::NoGradGuard no_grad;
  const std::int64_t wanted = std::min(k * keys.size(0), keys.numel());
  const std::int64_t local = std::min({4 * wanted / ranks, keys.size(1), keys.numel()});
  const auto [values, places] = at::topk(keys.reshape({-1}), local);
  const at::Tensor gathered = values.repeat({ranks});
  const at::Tensor chosen = std::get<1>(at::topk(gathered, std::min(wanted, gathered.numel())));
  at::Tensor mask = at::zeros({keys.numel()}, keys.options().dtype(at::kBool));
  mask.index_put_({places.repeat({ranks}).index_select(0, chosen)},
                  at::scalar_tensor(true, at::kBool));
  return mask.view_as(keys);
}

}  // namespace stepscope::clt
