// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training/metrics.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference_trainers/common/random.hpp"

namespace stepscope::clt {
namespace {

struct Sample {
  std::vector<at::Tensor> activations{at::zeros({4, 5})};
  std::vector<at::Tensor> targets;
  at::Tensor dead = at::zeros({1, 5}, at::kBool);

  Sample() {
    at::Generator random = trainers::seeded_generator(1, trainers::RandomStream::activations);
    targets.push_back(at::randn({4, 3}, random));
    activations[0][0][1] = 2;
    activations[0][0][2] = -1;  // counts in l0, not in the density
    activations[0][1][1] = 3;
    dead[0][4] = true;
  }

  // Evaluates by both implementations, which must agree.
  Metrics of(const at::Tensor& prediction) const {
    const Metrics host = evaluate_on_host(activations, {prediction}, targets, dead);
    const Metrics device = evaluate_on_device(activations, {prediction}, targets, dead);
    EXPECT_NEAR(host.nmse, device.nmse, 1e-6);
    EXPECT_NEAR(host.explained_variance, device.explained_variance, 1e-6);
    EXPECT_NEAR(host.l0, device.l0, 1e-6);
    EXPECT_NEAR(host.log_density, device.log_density, 1e-5);
    EXPECT_EQ(host.dead, device.dead);
    return host;
  }
};

TEST(Metrics, PerfectPrediction) {
  const Sample sample;
  const Metrics metrics = sample.of(sample.targets[0]);
  EXPECT_EQ(metrics.nmse, 0);
  EXPECT_EQ(metrics.explained_variance, 1);
}

TEST(Metrics, PredictingTheMeanExplainsNothing) {
  const Sample sample;
  const at::Tensor& target = sample.targets[0];
  const Metrics metrics = sample.of(target.mean(0, true) * at::ones_like(target));
  EXPECT_NEAR(metrics.nmse, 1, 1e-5);
  EXPECT_NEAR(metrics.explained_variance, 0, 1e-5);
}

TEST(Metrics, AConstantOffsetCostsNmseButNotExplainedVariance) {
  const Sample sample;
  const Metrics metrics = sample.of(sample.targets[0] + 1);
  EXPECT_GT(metrics.nmse, 0.5);
  EXPECT_NEAR(metrics.explained_variance, 1, 1e-5);
}

TEST(Metrics, ATargetThatNeverVariesHasNoRatio) {
  Sample sample;
  sample.targets[0] = at::zeros({4, 3});
  EXPECT_EQ(sample.of(sample.targets[0]).nmse, 0);
  EXPECT_EQ(sample.of(sample.targets[0] + 1).nmse, 1);
}

TEST(Metrics, CountsActivationsDensityAndDead) {
  const Sample sample;
  const Metrics metrics = sample.of(sample.targets[0]);
  EXPECT_NEAR(metrics.l0, 3.0 / 4, 1e-6);
  EXPECT_NEAR(metrics.log_density, (std::log10(0.5) + 4 * -10) / 5, 1e-4);
  EXPECT_EQ(metrics.dead, 1);
}

}  // namespace
}  // namespace stepscope::clt
