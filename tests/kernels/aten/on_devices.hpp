// SPDX-License-Identifier: Apache-2.0
// The bindings' tests run on the CPU, and again on a GPU where there is one and the build has
// kernels for it. They are judged by dense formulations in ATen, which share no code with either.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <string>

#include "reference_trainers/common/device.hpp"
#include "reference_trainers/common/random.hpp"

namespace stepscope::aten {

class OnDevices : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "cpu") return;
#ifndef STEPSCOPE_TEST_WITH_KERNELS
    GTEST_SKIP() << "this build has no CUDA kernels";
#endif
    const auto chosen = trainers::choose_device(trainers::DeviceWish::automatic);
    ASSERT_TRUE(chosen);
    device_ = chosen->device;
    if (!device_.is_cuda()) GTEST_SKIP() << "no GPU";
  }

  at::Tensor normal(at::IntArrayRef shape) {
    return at::randn(shape, random_).to(device_);
  }
  at::Tensor learnt(const at::Tensor& values) {
    return values.detach().clone().requires_grad_();
  }

  at::Device device_ = at::kCPU;
  at::Generator random_ = trainers::seeded_generator(1, trainers::RandomStream::weights);
};

inline std::string device_name(const testing::TestParamInfo<std::string>& about) {
  return about.param;
}

// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define STEPSCOPE_ON_DEVICES(Suite) \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, testing::Values("cpu", "cuda"), device_name)

inline void expect_equal(const at::Tensor& found, const at::Tensor& expected) {
  ASSERT_EQ(found.sizes(), expected.sizes());
  EXPECT_EQ(found.scalar_type(), expected.scalar_type());
  EXPECT_TRUE(found.equal(expected)) << found << "\nis not\n" << expected;
}

inline void expect_near(const at::Tensor& found, const at::Tensor& expected, double error) {
  ASSERT_EQ(found.sizes(), expected.sizes());
  const at::Tensor difference = (found.detach() - expected.detach()).abs();
  EXPECT_LE(difference.max().item<double>(), error);
}

// Expects that the call throws, with that text in the message.
template <class Call>
void expect_refused(Call call, const std::string& text) {
  try {
    call();
    FAIL() << "nothing was thrown for " << text;
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

}  // namespace stepscope::aten
