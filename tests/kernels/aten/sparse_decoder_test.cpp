// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/sparse_decoder.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "kernels/aten/batch_topk.hpp"
#include "kernels/aten/bitmask.hpp"
#include "tests/kernels/aten/dense_decoder.hpp"
#include "tests/kernels/aten/on_devices.hpp"

namespace stepscope::aten {
namespace sparse_decoder_test {

constexpr std::int64_t kEntries = 4 * kDecoder.tokens;

class AtenSparseDecoder : public OnDevices {
 protected:
  void SetUp() override {
    OnDevices::SetUp();
    if (IsSkipped()) return;
    acts_ = normal({kDecoder.tokens, kDecoder.columns()});
    weights_ = normal({kDecoder.weights()});
    bias_ = normal({kDecoder.layers, kDecoder.model});
    output_gradients_ = normal({kDecoder.tokens, kDecoder.layers, kDecoder.model});
    BatchTopkMemory memory;
    mask_ = batch_topk_mask(acts_, {.count = kEntries}, memory);
  }

  at::Tensor kept(const at::Tensor& acts) const {
    return at::where(bitmask_to_bool(mask_, kDecoder.columns()), acts, at::zeros_like(acts));
  }
  at::Tensor decode(const at::Tensor& acts, const at::Tensor& weights, const at::Tensor& bias,
                    std::int64_t entries = kEntries) const {
    return sparse_decoder(acts, mask_, weights, bias, kDecoder.layers, entries);
  }

  at::Tensor acts_, weights_, bias_, output_gradients_, mask_;
};

TEST_P(AtenSparseDecoder, OutputsAreTheDenseFormulations) {
  const at::Tensor expected = dense_decoder(kept(acts_), weights_, bias_);
  expect_near(decode(acts_, weights_, bias_), expected, 1e-4);
  expect_near(decode(kept(acts_), weights_, bias_), expected, 1e-4);
  expect_near(sparse_decoder(acts_, mask_, weights_, std::nullopt, kDecoder.layers, kEntries),
              expected - bias_, 1e-4);
}

TEST_P(AtenSparseDecoder, GradientsAreTheDenseFormulations) {
  for (const std::int64_t room : {kEntries, kEntries + 6}) {
    const at::Tensor acts = learnt(acts_), weights = learnt(weights_), bias = learnt(bias_);
    const at::Tensor dense_acts = learnt(acts_), dense_weights = learnt(weights_),
                     dense_bias = learnt(bias_);
    (decode(acts, weights, bias, room) * output_gradients_).sum().backward();
    (dense_decoder(kept(dense_acts), dense_weights, dense_bias) * output_gradients_)
        .sum()
        .backward();
    expect_near(acts.grad(), dense_acts.grad(), 1e-4);
    expect_near(weights.grad(), dense_weights.grad(), 1e-4);
    expect_near(bias.grad(), dense_bias.grad(), 1e-4);
  }
}

TEST_P(AtenSparseDecoder, OnlyWantedGradientsAreMade) {
  const at::Tensor acts = learnt(acts_);
  decode(acts, weights_, bias_).sum().backward();
  EXPECT_TRUE(acts.grad().defined());
  const at::Tensor bias = learnt(bias_);
  decode(acts_, weights_, bias).sum().backward();
  expect_near(bias.grad(), at::full_like(bias_, static_cast<double>(kDecoder.tokens)), 0);
  EXPECT_FALSE(decode(acts_, weights_, bias_).requires_grad());
}

TEST_P(AtenSparseDecoder, SixteenBitWeightsAreRoundedOnlyAtTheEnd) {
  const at::Tensor weights = learnt(weights_.to(at::kBFloat16));
  const at::Tensor acts = learnt(acts_.to(at::kHalf));
  const at::Tensor outputs = decode(acts, weights, bias_);
  EXPECT_EQ(outputs.scalar_type(), at::kBFloat16);
  const at::Tensor dense = learnt(acts.to(at::kFloat));
  const at::Tensor expected = dense_decoder(kept(dense), weights.detach().to(at::kFloat), bias_);
  // Bfloat16 has 8 bits, and numbers are below 20.
  expect_near(outputs.to(at::kFloat), expected, 0.1);
  outputs.sum().backward();
  expected.sum().backward();
  EXPECT_EQ(acts.grad().scalar_type(), at::kHalf);
  EXPECT_EQ(weights.grad().scalar_type(), at::kBFloat16);
  expect_near(acts.grad().to(at::kFloat), dense.grad(), 0.05);
}

// The kernels have no float64: the CPU alone takes it.
class AtenSparseDecoderInDouble : public AtenSparseDecoder {};

// Along a random direction of all three: what a difference of outputs says.
TEST_P(AtenSparseDecoderInDouble, GradientsAreFiniteDifferences) {
  const auto wide = [](const at::Tensor& tensor) { return tensor.to(at::kDouble); };
  const at::Tensor steps[] = {wide(normal(acts_.sizes())), wide(normal(weights_.sizes())),
                              wide(normal(bias_.sizes()))};
  const auto loss = [&](const at::Tensor& acts, const at::Tensor& weights, const at::Tensor& bias) {
    return (decode(acts, weights, bias).square() * output_gradients_).sum();
  };
  const auto moved = [&](double by) {
    return loss(wide(acts_) + by * steps[0], wide(weights_) + by * steps[1],
                wide(bias_) + by * steps[2])
        .item<double>();
  };
  const at::Tensor all[] = {learnt(wide(acts_)), learnt(wide(weights_)), learnt(wide(bias_))};
  loss(all[0], all[1], all[2]).backward();
  double slope = 0;
  for (std::size_t i = 0; i < 3; ++i) slope += (all[i].grad() * steps[i]).sum().item<double>();
  constexpr double kStep = 1e-5;
  const double difference = (moved(kStep) - moved(-kStep)) / (2 * kStep);
  EXPECT_NEAR(difference, slope, 1e-6 * std::abs(slope));
  EXPECT_GT(std::abs(slope), 1);
}

TEST_P(AtenSparseDecoder, TheChainFromSelectionToOutputLearns) {
  const at::Tensor acts = learnt(acts_);
  const at::Tensor dense = learnt(acts_);
  decode(batch_topk(acts, 4, false, false), weights_, bias_).square().sum().backward();
  dense_decoder(kept(dense), weights_, bias_).square().sum().backward();
  expect_near(acts.grad(), dense.grad(), 1e-3);
}

TEST_P(AtenSparseDecoder, AGradientOfTheGradientIsRefused) {
  const at::Tensor acts = learnt(acts_);
  const at::Tensor sum = decode(acts, weights_, bias_).square().sum();
  expect_refused(
      [&] { (void)torch::autograd::grad({sum}, {acts}, {}, true, /*create_graph=*/true); },
      "sparse_decoder: its gradient has no gradient");
}

TEST_P(AtenSparseDecoder, BadArgumentsAreNamed) {
  const auto with = [&](const at::Tensor& weights, const at::Tensor& bias, std::int64_t layers) {
    return [=, this] { (void)sparse_decoder(acts_, mask_, weights, bias, layers, kEntries); };
  };
  expect_refused(with(weights_, bias_, 7), "layers: must divide the columns of acts, 60, is 7");
  expect_refused(with(weights_.slice(0, 1), bias_, 3), "weights: must be vectors of equal length");
  expect_refused(with(weights_.to(at::kHalf), bias_, 3), "weights: must be float32 or bfloat16");
  expect_refused(with(weights_, bias_.slice(0, 1), 3), "bias: must be [layers, model] = [3, 16]");
  expect_refused(with(weights_, bias_.to(at::kHalf), 3), "bias: must be Float, is Half");
  expect_refused(with(normal({3 * 40 * 9}), bias_, 3), "model: must be a multiple of 8");
}

STEPSCOPE_ON_DEVICES(AtenSparseDecoder);
INSTANTIATE_TEST_SUITE_P(Host, AtenSparseDecoderInDouble, testing::Values("cpu"), device_name);

}  // namespace sparse_decoder_test
}  // namespace stepscope::aten
