// SPDX-License-Identifier: Apache-2.0
// Against autograd in double.
#include "kernels/aten/squared_loss.hpp"

#include <ATen/TensorOperators.h>

#include "tests/kernels/aten/on_devices.hpp"

namespace stepscope::aten {
namespace squared_loss_test {

class AtenSquaredLoss : public OnDevices {};

TEST_P(AtenSquaredLoss, LossAndGradientsAreAutograds) {
  // Whole and broken parts of tokens and columns.
  for (const auto& [tokens, layers, model] :
       {std::tuple{1, 1, 8}, std::tuple{16, 2, 512}, std::tuple{37, 3, 400}}) {
    const at::Tensor outputs = normal({tokens, layers, model});
    const at::Tensor targets = normal({tokens, layers, model});
    const at::Tensor deviations = normal({layers, model}).abs();
    const double factor = 1.0 / (tokens * model);
    const SquaredLoss found = squared_loss(outputs, targets, deviations, factor);

    const at::Tensor learnt_outputs = learnt(outputs.to(at::kDouble));
    const at::Tensor expected =
        ((learnt_outputs - targets) * deviations.to(at::kDouble)).square().sum() * factor;
    expected.backward();
    const at::Tensor of_outputs = learnt_outputs.grad();
    expect_near(found.loss, expected, 1e-5 * expected.item<double>());
    expect_near(found.of_outputs, of_outputs, 1e-6 * of_outputs.abs().max().item<double>());
    expect_near(found.of_bias, of_outputs.sum(0), 1e-5 * of_outputs.abs().max().item<double>());
  }
}

TEST_P(AtenSquaredLoss, BitsAreTheSameOnEveryRun) {
  const at::Tensor outputs = normal({1024, 12, 768});
  const at::Tensor targets = normal({1024, 12, 768});
  const at::Tensor deviations = normal({12, 768}).abs();
  const SquaredLoss first = squared_loss(outputs, targets, deviations, 0.5);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const SquaredLoss again = squared_loss(outputs, targets, deviations, 0.5);
    expect_equal(again.loss, first.loss);
    EXPECT_TRUE(again.of_outputs.equal(first.of_outputs));
    EXPECT_TRUE(again.of_bias.equal(first.of_bias));
  }
}

TEST_P(AtenSquaredLoss, BadArgumentsAreNamed) {
  const at::Tensor outputs = normal({4, 2, 8});
  const at::Tensor deviations = normal({2, 8});
  expect_refused(
      [&] {
        (void)squared_loss(outputs, normal({4, 2, 4}), deviations, 1);
      },
      "targets: must be contiguous, of 64 numbers");
  expect_refused(
      [&] {
        (void)squared_loss(outputs, outputs, normal({2, 4}), 1);
      },
      "deviations: must be one a number of a token");
  expect_refused([&] { (void)squared_loss(outputs, outputs.to(at::kHalf), deviations, 1); },
                 "targets: must be Float, is Half");
}

STEPSCOPE_ON_DEVICES(AtenSquaredLoss);

}  // namespace squared_loss_test
}  // namespace stepscope::aten
