// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/loss_parts.hpp"

#include <ATen/ops/stack.h>

#include <stepscope/annotate.hpp>
#include <utility>
#include <vector>

namespace stepscope::clt {
namespace {

double read(const at::Tensor& value) {
  return value.defined() ? value.item<double>() : 0;
}

}  // namespace

Losses read_one_by_one(const LossParts& parts) {
  const auto phase = stepscope::phase("loss");
  return {read(parts.total), read(parts.reconstruction), read(parts.sparsity),
          read(parts.preactivation), read(parts.auxiliary)};
}

Losses read_together(const LossParts& parts) {
  Losses losses;
  std::vector<at::Tensor> values;
  std::vector<double*> places;
  for (const auto& [value, place] : {std::pair(&parts.total, &losses.total),
                                     std::pair(&parts.reconstruction, &losses.reconstruction),
                                     std::pair(&parts.sparsity, &losses.sparsity),
                                     std::pair(&parts.preactivation, &losses.preactivation),
                                     std::pair(&parts.auxiliary, &losses.auxiliary)}) {
    if (!value->defined()) continue;
    values.push_back(value->detach());
    places.push_back(place);
  }
  const at::Tensor host = at::stack(values).to(at::kDouble).cpu();
  for (std::size_t i = 0; i < places.size(); ++i) *places[i] = host.const_data_ptr<double>()[i];
  return losses;
}

}  // namespace stepscope::clt
