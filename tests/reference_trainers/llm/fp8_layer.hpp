// SPDX-License-Identifier: Apache-2.0
// One layer's matrices in 8 bits, with numbers of a test's own.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/silu.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "reference_trainers/llm/model/fp8_linear.hpp"
#include "reference_trainers/llm/model/parameters.hpp"
#include "tests/reference_trainers/llm/small_run.hpp"

namespace stepscope::llm {

class Fp8Layer {
 public:
  explicit Fp8Layer(Config config, at::Device device = at::kCPU, at::ScalarType type = at::kFloat) {
    config.rungs.packed = config.rungs.fp8 = config.rungs.fp8_head = true;
    config.shape.layers = 1;
    config_ = config;
    weights_ = make_weights(config, device);
    if (type == at::kBFloat16) (void)take_parameters(weights_, true);
    codes_ = std::make_unique<Fp8Layers>(config, weights_);
  }

  LayerWeights& weights() { return weights_.layers[0]; }
  const Fp8Sites& sites() { return weights().fp8; }
  Fp8Layers& codes() { return *codes_; }
  const Shape& shape() const { return config_.shape; }

  at::Tensor query_key_value(const at::Tensor& x) {
    return fp8_linear(x, weights().query_key_value, sites().query_key_value);
  }
  at::Tensor feed_forward(const at::Tensor& x) {
    return fp8_feed_forward(x, weights().gate_up, weights().down, sites());
  }

  at::Tensor loss(const at::Tensor& x, const at::Tensor& targets, double share) {
    return fp8_head_loss(x, weights_.embedding, targets, share, codes_->head());
  }
  const at::Tensor& embedding() const { return weights_.embedding; }

 private:
  Config config_;
  Weights weights_;
  std::unique_ptr<Fp8Layers> codes_;
};

inline at::Tensor exact_feed_forward(const at::Tensor& x, const at::Tensor& gate_up,
                                     const at::Tensor& down) {
  const auto parts = at::linear(x, gate_up).chunk(2, -1);
  return at::linear(at::silu(parts[0]) * parts[1], down);
}

// The output, and the gradients of `inputs`, where the output's is `through`.
inline std::vector<at::Tensor> with_gradients(const std::function<at::Tensor()>& operation,
                                              std::vector<at::Tensor> inputs,
                                              const at::Tensor& through) {
  for (at::Tensor& input : inputs) input.mutable_grad() = at::Tensor();
  const at::Tensor out = operation();
  (out * through).sum().backward();
  std::vector<at::Tensor> all{out.detach()};
  for (const at::Tensor& input : inputs) all.push_back(input.grad());
  return all;
}

// |a - b| / |b| as vectors.
inline double relative_distance(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor wide = b.detach().to(at::kDouble).cpu();
  const at::Tensor difference = a.detach().to(at::kDouble).cpu() - wide;
  return std::sqrt(difference.square().sum().item<double>() / wide.square().sum().item<double>());
}

}  // namespace stepscope::llm
