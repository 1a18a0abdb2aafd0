// SPDX-License-Identifier: Apache-2.0
// Products in 8 bits against exact ones, and what a run keeps of their scales.
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gmock/gmock.h>

#include <limits>

#include "tests/reference_trainers/llm/fp8_layer.hpp"
#include "tests/reference_trainers/llm/rung_parity.hpp"

namespace stepscope::llm {
namespace {

using testing::HasSubstr;

TEST(Fp8Codes, AreThoseOfLibTorchWithinTheRange) {
  for (const auto format : {kernels::Fp8Format::e4m3, kernels::Fp8Format::e5m2}) {
    const at::Tensor numbers = at::randn({64, 64}) * 20;
    const Fp8Scales scales({format}, 0, at::kCPU);
    const Fp8Matrix ours = quantised_by(scales.slot(0), numbers);
    const at::Tensor theirs = numbers.to(ours.codes.scalar_type());
    EXPECT_TRUE(ours.codes.to(at::kFloat).equal(theirs.to(at::kFloat)));
    EXPECT_TRUE(ours.transposed.to(at::kFloat).equal(theirs.to(at::kFloat).t()));
    EXPECT_EQ(scales.slot(0).amax.item<float>(), numbers.abs().max().item<float>());
  }
}

at::Tensor small_integers(at::IntArrayRef sizes, std::int64_t most) {
  return at::randint(-most, most + 1, sizes, at::TensorOptions(at::kFloat));
}

// Whole numbers up to 8 are codes of both formats, and their sums are exact: so must the product
// be, and its gradients.
TEST(Fp8Linear, OfWholeNumbersIsExact) {
  Fp8Layer layer(small_config());
  at::Tensor weight = layer.weights().query_key_value;
  weight.detach().copy_(small_integers(weight.sizes(), 8));
  layer.codes().begin_step({});
  const at::Tensor x = small_integers({2, 16, weight.size(1)}, 8).set_requires_grad(true);
  const at::Tensor through = small_integers({2, 16, weight.size(0)}, 4);
  const auto coded = with_gradients([&] { return layer.query_key_value(x); }, {x, weight}, through);
  const auto exact = with_gradients([&] { return at::linear(x, weight); }, {x, weight}, through);
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_TRUE(coded[i].equal(exact[i])) << i;
}

TEST(Fp8FeedForward, IsAsNearAsItsNumbersHaveDigits) {
  for (const Fp8Scaling scaling : {Fp8Scaling::delayed, Fp8Scaling::current}) {
    Config config = small_config();
    config.fp8.scaling = scaling;
    Fp8Layer layer(config);
    at::Tensor gate_up = layer.weights().gate_up, down = layer.weights().down;
    gate_up.detach().copy_(at::randn(gate_up.sizes()) * 0.3);
    const at::Tensor x = at::randn({4, 16, gate_up.size(1)}).set_requires_grad(true);
    const at::Tensor through = at::randn({4, 16, down.size(0)});
    const auto exact = with_gradients([&] { return exact_feed_forward(x, gate_up, down); },
                                      {x, gate_up, down}, through);
    for (int step = 0; step < 3; ++step) {
      layer.codes().begin_step({});
      EXPECT_EQ(layer.sites().down->mode->scales_known, step > 0 && scaling == Fp8Scaling::delayed);
      const auto coded =
          with_gradients([&] { return layer.feed_forward(x); }, {x, gate_up, down}, through);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        EXPECT_LT(relative_distance(coded[i], exact[i]), i == 0 ? 0.1 : 0.15) << i;
        EXPECT_GT(relative_distance(coded[i], exact[i]), 0.005) << "8 bits were taken " << i;
      }
    }
  }
}

TEST(Fp8HeadLoss, AndItsGradientsAreAsNearAsTheirNumbersHaveDigits) {
  Fp8Layer layer(small_config());
  const at::Tensor weight = layer.embedding();
  weight.detach().copy_(at::randn(weight.sizes()) * 0.3);
  const at::Tensor x = at::randn({2, 16, weight.size(1)}).set_requires_grad(true);
  const at::Tensor targets = at::randint(weight.size(0), {2, 16}, at::TensorOptions(at::kLong));
  constexpr double kShare = 0.25;
  const at::Tensor one = at::ones({});
  const auto exact = with_gradients(
      [&] { return cross_entropy(at::linear(x, weight), targets) * kShare; }, {x, weight}, one);
  layer.codes().begin_step({});
  const auto coded =
      with_gradients([&] { return layer.loss(x, targets, kShare); }, {x, weight}, one);
  EXPECT_LT(relative_distance(coded[0], exact[0]), 0.01);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_LT(relative_distance(coded[i], exact[i]), 0.15) << i;
    EXPECT_GT(relative_distance(coded[i], exact[i]), 0.005) << "8 bits were taken " << i;
  }
}

TEST(Fp8Scaling, DelayedFollowsTheNumbersAndCutsWhatIsLarger) {
  Fp8Layer layer(small_config());
  const Fp8Slot slot = layer.sites().query_key_value->of_input;
  const auto coded = [&](double size) {
    const at::Tensor x = at::linspace(-size, size, 32 * 48).view({2, 16, 48});
    layer.query_key_value(x.to(at::kFloat));
    return slot.scale.item<float>();
  };
  layer.codes().begin_step({});
  coded(7);
  layer.codes().begin_step({});
  EXPECT_EQ(coded(1), 64) << "of the step before";
  for (int step = 0; step < 17; ++step) layer.codes().begin_step({});
  EXPECT_EQ(coded(1000), 1) << "no step had numbers";
  const Fp8Matrix cut =
      quantised_by(slot, at::linspace(-1000, 1000, 256).view({16, 16}).to(at::kFloat));
  EXPECT_EQ((cut.codes.to(at::kFloat) * cut.inverse).abs().max().item<float>(), 448);
}

TEST(Fp8Run, LearnsAsR7Does) {
  Config config = small_config(40);
  config.shape.d_model = 96;
  config.shape.hidden = 128;
  config.rungs = *rungs_up_to("R7");
  const std::vector<double> half = losses_of(config, at::kCPU);
  config.rungs.fp8 = true;
  for (const Fp8Gradients gradients : {Fp8Gradients::e5m2, Fp8Gradients::e4m3}) {
    config.fp8.gradients = gradients;
    config.rungs.fp8_head = gradients == Fp8Gradients::e5m2;
    const std::vector<double> coded = losses_of(config, at::kCPU);
    EXPECT_LT(spread(half, coded), 0.02);
    EXPECT_LT(coded.back(), 0.95 * coded.front()) << "it learns";
  }
}

TEST(Fp8Run, ANumberThatIsNoneIsSeenInTheLoss) {
  Config config = small_config(2);
  config.rungs = *rungs_up_to("R8b");
  Training training = begun(config, at::kCPU);
  for (const Parameter& parameter : training.parameters())
    if (parameter.name == "layers.0.mlp_norm")
      parameter.leaf.detach().fill_(std::numeric_limits<float>::infinity());
  const auto read = training.step(0);
  ASSERT_TRUE(read);
  std::vector<StepLog> log = *read;
  EXPECT_FALSE(std::isfinite(log.at(0).loss));
}

TEST(Fp8Run, SizesThatItDoesNotTakeAreNamed) {
  Config config = small_config(2);
  config.rungs = *rungs_up_to("R8b");
  config.shape.hidden = 72;
  EXPECT_THAT(error_of(config), HasSubstr("fp8 takes matrices of multiples of 16, --hidden is 72"));
  config.shape.hidden = 64;
  config.micro_batch = 1;
  config.sequence = 33;
  EXPECT_THAT(error_of(config), HasSubstr("--micro-batch times --sequence is 33"));
  config.rungs.bf16_weights = false;
  EXPECT_THAT(error_of(config), HasSubstr("bf16_weights"));
}

TEST(Fp8Run, GoesOnFromARunInSixteenBits) {
  Config config = small_config(2);
  config.rungs = *rungs_up_to("R7");
  config.checkpoint = temporary("sixteen");
  run_quietly(config);
  config.resume = config.checkpoint;
  config.checkpoint.clear();
  config.rungs.fp8 = true;
  config.steps = 4;
  EXPECT_EQ(run_quietly(config).log.size(), 2U);
}

}  // namespace
}  // namespace stepscope::llm
