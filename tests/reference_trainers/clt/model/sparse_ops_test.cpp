// SPDX-License-Identifier: Apache-2.0
// The operations of the sparse step against the references of kernels/, in double precision: the
// dense formulation on the CPU, and the kernels where there is a GPU and a build with CUDA.
#include "reference_trainers/clt/model/sparse_ops.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels/fused_adam/fused_adam_reference.hpp"
#include "kernels/sparse_decoder/sparse_decoder_reference.hpp"
#include "reference_trainers/common/device.hpp"
#include "reference_trainers/common/random.hpp"

namespace stepscope::clt {
namespace {

constexpr SparseShape kShape{.layers = 3, .features = 40, .model = 16, .tokens = 24};
constexpr std::int64_t kCount = 24 * 7;

std::vector<double> host(const at::Tensor& tensor) {
  const at::Tensor all = tensor.cpu().to(at::kDouble).contiguous();
  return {all.const_data_ptr<double>(), all.const_data_ptr<double>() + all.numel()};
}

void expect_near(const at::Tensor& found, const std::vector<double>& expected, double error) {
  const std::vector<double> values = host(found);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], error) << i;
}

class SparseOpsTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "kernels") {
      const auto chosen = trainers::choose_device(trainers::DeviceWish::automatic);
      ASSERT_TRUE(chosen);
      device_ = chosen->device;
      ops_ = make_kernel_ops(kShape);
      if (ops_ == nullptr) GTEST_SKIP() << "this build has no CUDA kernels";
      if (!device_.is_cuda()) GTEST_SKIP() << "no GPU";
    } else {
      ops_ = make_aten_ops(kShape);
    }
    at::Generator random = trainers::seeded_generator(1, trainers::RandomStream::weights);
    const auto normal = [&](at::IntArrayRef shape) { return at::randn(shape, random).to(device_); };
    preactivations_ = normal({kShape.tokens, kShape.columns()});
    weights_ = std::make_unique<AdamState>(untouched(normal({kShape.weights()})));
    bias_ = std::make_unique<AdamState>(untouched(normal({kShape.layers * kShape.model})));
    gradients_ = normal({kShape.tokens, kShape.layers, kShape.model});
  }

  ActiveFeatures select() {
    ActiveFeatures active = ops_->select(preactivations_, kCount);
    ops_->list_columns(active, preactivations_);
    return active;
  }
  static kernels::HostActiveFeatures on_host(const FeatureList& list) {
    kernels::HostActiveFeatures out;
    for (const double offset : host(list.offsets))
      out.offsets.push_back(static_cast<std::int64_t>(offset));
    for (const double index : host(list.indices))
      out.columns.push_back(static_cast<std::int32_t>(index));
    out.values = host(list.values);
    return out;
  }

  at::Device device_ = at::kCPU;
  std::unique_ptr<SparseOps> ops_;
  at::Tensor preactivations_, gradients_;
  std::unique_ptr<AdamState> weights_, bias_;
};

TEST_P(SparseOpsTest, SelectsTheGreatestZScoresAsBothLists) {
  const ActiveFeatures active = select();
  const at::Tensor all = preactivations_.cpu();
  const at::Tensor keys = (all - all.mean(0)) / (all.std(0) + 1e-6);
  const double least = std::get<0>(keys.flatten().sort(0, true))[kCount - 1].item<double>();
  const at::Tensor places = places_of(active.by_token, kShape.columns()).cpu();
  ASSERT_EQ(places.numel(), kCount);
  EXPECT_GT(keys.flatten().index_select(0, places).min().item<double>(), least - 1e-5);
  expect_near(active.by_token.values, host(all.flatten().index_select(0, places)), 0);

  std::vector<double> by_column;
  const std::vector<double> offsets = host(active.by_column.offsets);
  const std::vector<double> tokens = host(active.by_column.indices);
  for (std::size_t column = 0; column + 1 < offsets.size(); ++column) {
    for (auto i = static_cast<std::size_t>(offsets[column]);
         i < static_cast<std::size_t>(offsets[column + 1]); ++i)
      by_column.push_back(tokens[i] * kShape.columns() + static_cast<double>(column));
  }
  std::vector<double> sorted = by_column;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, host(places));
}

TEST_P(SparseOpsTest, ListedValuesHaveWhatIsAddedToTheirColumns) {
  const ActiveFeatures bare = select();
  const at::Tensor addends = preactivations_.select(0, 0) * 100;
  if (!ops_->add_to_listed(addends)) {
    EXPECT_EQ(GetParam(), "aten");
    return;
  }
  const ActiveFeatures added = select();
  EXPECT_TRUE(added.by_token.indices.equal(bare.by_token.indices));
  EXPECT_TRUE(added.by_token.values.equal(bare.by_token.values +
                                          addends.index_select(0, bare.by_token.indices)));
  EXPECT_TRUE(by_column_of(added, added.by_token.values).values.equal(added.by_column.values));
}

TEST_P(SparseOpsTest, SilentStepsAreThoseOfColumnsWithoutAGreatValue) {
  const ActiveFeatures active = select();
  const at::Tensor dense = dense_activations(kShape, active.by_token);
  const at::Tensor steps =
      at::arange(kShape.columns(), dense.options().dtype(at::kLong)).view({kShape.layers, -1});
  const at::Tensor counted = steps.clone();
  ops_->count_silent_steps(active, 1.5, counted);
  EXPECT_TRUE(counted.equal((steps + 1).masked_fill((dense > 1.5).any(0).view(steps.sizes()), 0)));
}

TEST_P(SparseOpsTest, TheSquaredLossIsThatOfDoubles) {
  const at::Tensor targets = gradients_ * 0.5 + 1;
  const at::Tensor deviations = targets.select(0, 0).abs();
  const SquaredLoss found = ops_->squared_loss(gradients_, targets, deviations, 0.25);
  const at::Tensor difference = (gradients_.to(at::kDouble) - targets) * deviations.to(at::kDouble);
  const at::Tensor of_outputs = difference * deviations * 0.5;
  expect_near(found.loss, {difference.square().sum().item<double>() * 0.25}, 1e-3);
  expect_near(found.of_outputs, host(of_outputs), 1e-5);
  expect_near(found.of_bias, host(of_outputs.sum(0)), 1e-4);
}

TEST_P(SparseOpsTest, OutputsAreTheReferences) {
  const ActiveFeatures active = select();
  expect_near(ops_->decode(*weights_, *bias_, active),
              kernels::forward_reference(kShape, on_host(active.by_token),
                                         host(weights_->parameters), host(bias_->parameters)),
              1e-4);
}

TEST_P(SparseOpsTest, GradientsOfValuesAreTheReferences) {
  const ActiveFeatures active = select();
  expect_near(ops_->activation_gradient(*weights_, active, gradients_),
              kernels::activation_gradient_reference(kShape, on_host(active.by_token),
                                                     host(weights_->parameters), host(gradients_)),
              1e-4);
}

TEST_P(SparseOpsTest, GradientsOfWeightsAreTheReferences) {
  const ActiveFeatures active = select();
  expect_near(
      ops_->weight_gradient(active, gradients_),
      kernels::weight_gradient_reference(kShape, on_host(active.by_token), host(gradients_)), 1e-4);
}

TEST_P(SparseOpsTest, TheDecoderIsUpdatedAsByItsDenseGradient) {
  const ActiveFeatures active = select();
  const std::vector<double> gradients =
      kernels::weight_gradient_reference(kShape, on_host(active.by_token), host(gradients_));
  kernels::HostAdamState expected{host(weights_->parameters), std::vector<double>(gradients.size()),
                                  std::vector<double>(gradients.size())};
  for (std::int64_t step = 1; step <= 3; ++step) {
    ops_->update_decoder(*weights_, active, gradients_, 1e-2, step);
    kernels::AdamSettings settings;
    settings.learning_rate = 1e-2;
    settings.step = step;
    kernels::adam_reference(expected, gradients, settings);
  }
  expect_near(weights_->parameters, expected.parameters, 1e-4);
  expect_near(weights_->second_moments, expected.second_moments, 1e-4);
}

TEST_P(SparseOpsTest, TheDecodersUpdateInTwoCallsIsTheWhole) {
  const ActiveFeatures active = select();
  AdamState apart = untouched(weights_->parameters.clone());
  for (std::int64_t step = 1; step <= 3; ++step) {
    ops_->update_decoder(*weights_, active, gradients_, 1e-2, step);
    ops_->update_silent(apart, active, 1e-2, step);
    ops_->update_others(apart, active, gradients_, 1e-2, step);
  }
  EXPECT_TRUE(apart.parameters.equal(weights_->parameters));
  EXPECT_TRUE(apart.first_moments.equal(weights_->first_moments));
  EXPECT_TRUE(apart.second_moments.equal(weights_->second_moments));
}

// The first step's moments are as long as rounding to codes is no matter; then they are codes of
// what they should be.
TEST_P(SparseOpsTest, MomentsOf8BitsAreUpdatedLikeFloats) {
  const ActiveFeatures active = select();
  AdamState coded = aten::coded_state(weights_->parameters.clone(), kShape.model);
  AdamState apart = aten::coded_state(weights_->parameters.clone(), kShape.model);
  for (std::int64_t step = 1; step <= 3; ++step) {
    ops_->update_decoder(*weights_, active, gradients_, 1e-2, step);
    ops_->update_decoder(coded, active, gradients_, 1e-2, step);
    ops_->update_silent(apart, active, 1e-2, step);
    ops_->update_others(apart, active, gradients_, 1e-2, step);
    const double way = 1e-2 * static_cast<double>(step);  // at most so far
    const at::Tensor difference = (coded.parameters - weights_->parameters).abs();
    EXPECT_LT(difference.max().item<double>(), step == 1 ? 1e-4 : 0.2 * way) << step;
    EXPECT_LT(difference.mean().item<double>(), 0.02 * way) << step;
  }
  EXPECT_TRUE(apart.parameters.equal(coded.parameters));
  EXPECT_TRUE(apart.first_moments.equal(coded.first_moments));
  EXPECT_TRUE(apart.second_moments.equal(coded.second_moments));
  EXPECT_TRUE(apart.scales.equal(coded.scales));
}

// Against the dense gradient in double; values are gradients here.
TEST_P(SparseOpsTest, TheEncoderIsUpdatedAsByItsDenseGradient) {
  const ActiveFeatures active = select();
  const at::Tensor values = active.by_token.values * 2 + 1;
  const auto [list, sums] = ops_->by_column(active, values);
  FeatureList by_token = active.by_token;
  by_token.values = values;
  const at::Tensor dense = dense_activations(kShape, by_token).cpu().to(at::kDouble);
  expect_near(sums, host(dense.sum(0)), 1e-5);
  expect_near(line_sums(list), host(dense.sum(0)), 1e-5);

  std::vector<at::Tensor> inputs;
  std::vector<double> gradients;
  for (std::int64_t layer = 0; layer < kShape.layers; ++layer) {
    inputs.push_back(gradients_.select(1, layer).contiguous());
    const at::Tensor of = dense.slice(1, layer * kShape.features, (layer + 1) * kShape.features);
    const std::vector<double> some = host(of.t().mm(inputs.back().cpu().to(at::kDouble)));
    gradients.insert(gradients.end(), some.begin(), some.end());
  }
  const std::int64_t count = kShape.columns() * kShape.model;
  AdamState encoder = untouched(weights_->parameters.slice(0, 0, count)
                                    .clone()
                                    .view({kShape.layers, kShape.features, kShape.model}));
  kernels::HostAdamState expected{host(encoder.parameters), std::vector<double>(gradients.size()),
                                  std::vector<double>(gradients.size())};
  kernels::AdamSettings settings;
  settings.learning_rate = 1e-2;
  settings.step = 1;
  kernels::adam_reference(expected, gradients, settings);
  ops_->update_encoder(encoder, list, inputs, 1e-2, 1);
  expect_near(encoder.parameters, expected.parameters, 1e-4);
  expect_near(encoder.second_moments, expected.second_moments, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Ops, SparseOpsTest, testing::Values("aten", "kernels"),
                         [](const auto& about) { return about.param; });

}  // namespace
}  // namespace stepscope::clt
