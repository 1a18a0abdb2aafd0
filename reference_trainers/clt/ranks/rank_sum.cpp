// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/ranks/rank_sum.hpp"

#include <torch/csrc/autograd/custom_function.h>

namespace stepscope::clt {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct RankSum : torch::autograd::Function<RankSum> {
  static at::Tensor forward(AutogradContext* /*context*/, const at::Tensor& own,
                            trainers::Comm* comm) {
    at::Tensor sum = own.contiguous().clone();
    comm->all_reduce(sum, trainers::Reduction::sum);
    return sum;
  }
  static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients) {
    return {gradients[0], at::Tensor()};
  }
};

}  // namespace

at::Tensor sum_over_ranks(const at::Tensor& own, trainers::Comm& comm) {
  return RankSum::apply(own, &comm);
}

}  // namespace stepscope::clt
