// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/tree/credit.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>

namespace stepscope::tree {

Gradients gradients_of(const std::vector<Node>& nodes, const std::vector<std::size_t>& path) {
  Gradients out;
  for (const std::size_t node : path) {
    out.emplace_back();
    for (const at::Tensor& weight : nodes[node].weights()) out.back().push_back(weight.grad());
  }
  return out;
}

void give_credit_on_host(const Gradients& nodes, std::int64_t k) {
  const at::NoGradGuard no_grad;
  std::vector<std::pair<double, std::size_t>> squares;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    double square = 0;
    for (const at::Tensor& gradient : nodes[node]) {
      const double norm = gradient.norm().item<double>();
      square += norm * norm;
    }
    squares.emplace_back(square, node);
  }
  std::sort(squares.rbegin(), squares.rend());
  for (std::size_t i = static_cast<std::size_t>(k); i < squares.size(); ++i)
    for (const at::Tensor& gradient : nodes[squares[i].second]) gradient.zero_();
}

void give_credit_on_device(const Gradients& nodes, std::int64_t k) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> all;
  for (const auto& node : nodes) all.insert(all.end(), node.begin(), node.end());
  const auto count = static_cast<std::int64_t>(nodes.size());
  const at::Tensor squares = at::stack(at::_foreach_norm(all)).view({count, -1}).square().sum(1);
  const at::Tensor chosen = std::get<1>(at::topk(squares, k));
  const at::Tensor counts = at::zeros({count}, squares.options()).index_fill_(0, chosen, 1);
  for (std::int64_t node = 0; node < count; ++node)
    at::_foreach_mul_(nodes[static_cast<std::size_t>(node)], counts[node]);
}

void clip_on_device(const std::vector<at::Tensor>& gradients, double most) {
  constexpr double kEpsilon = 1e-6;
  const at::NoGradGuard no_grad;
  const at::Tensor norm = at::stack(at::_foreach_norm(gradients)).norm();
  at::_foreach_mul_(gradients, (most / (norm + kEpsilon)).clamp_max(1));
}

}  // namespace stepscope::tree
