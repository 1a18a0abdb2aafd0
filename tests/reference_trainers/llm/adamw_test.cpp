// SPDX-License-Identifier: Apache-2.0
// Both ways of AdamW against its definition, written out in double precision.
#include "reference_trainers/llm/training/adamw.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stepscope::llm {
namespace {

constexpr double kRate = 0.01;

struct Reference {
  std::vector<double> weights, means, squares;
  bool decays = true;

  void step(const std::vector<double>& gradient, double scale, double t) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double g = gradient[i] * scale;
      if (decays) weights[i] *= 1 - kRate * 0.1;
      means[i] = 0.9 * means[i] + 0.1 * g;
      squares[i] = 0.95 * squares[i] + 0.05 * g * g;
      const double mean = means[i] / (1 - std::pow(0.9, t));
      const double square = squares[i] / (1 - std::pow(0.95, t));
      weights[i] -= kRate * mean / (std::sqrt(square) + 1e-8);
    }
  }
};

at::Tensor tensor_of(const std::vector<double>& numbers) {
  return at::tensor(numbers, at::TensorOptions(at::kFloat));
}

// A matrix, which decays, and a vector, which does not; the second step's gradients are clipped.
void expect_as_defined(bool fused) {
  Config config;
  config.rungs.fused_adamw = fused;
  const std::vector<double> matrix = {1, -2, 3, 0.5}, vector = {0.25, 4};
  const at::Tensor a = tensor_of(matrix).view({2, 2}).set_requires_grad(true);
  const at::Tensor b = tensor_of(vector).set_requires_grad(true);
  const auto optimizer = make_adamw({{"matrix", a, a, true}, {"vector", b, b, false}}, config);
  Reference of_a{matrix, {0, 0, 0, 0}, {0, 0, 0, 0}}, of_b{vector, {0, 0}, {0, 0}, false};
  for (int t = 1; t <= 3; ++t) {
    const double size = t == 2 ? 10 : 0.1;
    const std::vector<double> ga = {size, -size, 2 * size, 0}, gb = {0.5 * size, -size};
    optimizer->set_learning_rate(kRate);
    optimizer->zero_gradients();
    a.mutable_grad() = tensor_of(ga).view({2, 2});
    b.mutable_grad() = tensor_of(gb);
    const double norm = std::sqrt(7.25) * size;
    EXPECT_NEAR(optimizer->clip_and_step().item<double>(), norm, 1e-5 * norm);
    const double scale = std::min(1.0, 1 / norm);
    of_a.step(ga, scale, t);
    of_b.step(gb, scale, t);
  }
  const auto state = optimizer->state();
  const auto near = [&](std::size_t place, const char* name, const std::vector<double>& expected) {
    EXPECT_EQ(state[place].first, name);
    const at::Tensor flat = state[place].second.detach().flatten();
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(flat[static_cast<std::int64_t>(i)].item<double>(), expected[i],
                  1e-6 + 1e-5 * std::abs(expected[i]))
          << name << " " << i;
  };
  near(0, "parameter.matrix", of_a.weights);
  near(1, "mean.matrix", of_a.means);
  near(2, "square.matrix", of_a.squares);
  near(3, "parameter.vector", of_b.weights);
  near(4, "mean.vector", of_b.means);
}

TEST(LlmAdamW, OneByOneIsAsDefined) {
  expect_as_defined(false);
}
TEST(LlmAdamW, FusedIsAsDefined) {
  expect_as_defined(true);
}

}  // namespace
}  // namespace stepscope::llm
