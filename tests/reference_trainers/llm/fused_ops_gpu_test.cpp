// SPDX-License-Identifier: Apache-2.0
// Each fused operation on a GPU against the same operation in float64 with LibTorch's own autograd,
// forward and backward, in both types and at odd sizes.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/silu.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "reference_trainers/common/device.hpp"
#include "reference_trainers/llm/model/fused_ops.hpp"

namespace stepscope::llm {
namespace {

using Tensors = std::vector<at::Tensor>;
using Operation = std::function<Tensors(const Tensors&)>;

at::Tensor normal(at::IntArrayRef sizes) {
  return at::randn(sizes, at::TensorOptions(at::kDouble));
}

// In float64 on the CPU: x / sqrt(mean(x^2) + e) * w.
at::Tensor exact_norm(const at::Tensor& x, const at::Tensor& weight) {
  return x * (x.square().mean(-1, true) + 1e-6).rsqrt() * weight;
}

// Outputs, and the gradients of the inputs where the outputs' gradients are `through`.
Tensors run(const Operation& operation, Tensors inputs, const Tensors& through) {
  for (at::Tensor& input : inputs)
    if (input.is_floating_point()) input = input.detach().clone().set_requires_grad(true);
  Tensors out = operation(inputs);
  at::Tensor sum;
  for (std::size_t i = 0; i < through.size(); ++i) {
    const at::Tensor part = (out[i] * through[i].to(out[i].options())).sum();
    sum = sum.defined() ? sum + part : part;
  }
  (through.empty() ? out[0] : sum).backward();
  for (const at::Tensor& input : inputs)
    if (input.is_floating_point()) out.push_back(input.grad());
  return out;
}

class FusedOps : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    const auto device = trainers::choose_device(trainers::DeviceWish::cuda);
    if (!device) GTEST_SKIP() << device.error().message;
    if (!has_kernels()) GTEST_SKIP() << "this build has no CUDA kernels";
  }

  // The inputs are rounded to the type first, so that only the operation differs.
  void expect_equal(const Operation& fused, const Operation& exact, const Tensors& inputs,
                    const Tensors& through) {
    Tensors on_device, in_double, rounded_through;
    for (const at::Tensor& input : inputs) {
      on_device.push_back(input.is_floating_point() ? input.to(at::kCUDA, GetParam())
                                                    : input.to(at::kCUDA));
      in_double.push_back(input.is_floating_point() ? input.to(GetParam()).to(at::kDouble) : input);
    }
    for (const at::Tensor& gradient : through)
      rounded_through.push_back(gradient.to(GetParam()).to(at::kDouble));
    const Tensors got = run(fused, on_device, rounded_through);
    const Tensors expected = run(exact, in_double, rounded_through);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const at::Tensor difference = (got[i].detach().cpu().to(at::kDouble) - expected[i]).abs();
      const double scale = std::max(1e-6, expected[i].abs().max().item<double>());
      EXPECT_LT(difference.max().item<double>() / scale, tolerance()) << "tensor " << i;
    }
  }

  double tolerance() const { return GetParam() == at::kFloat ? 2e-5 : 2e-2; }
};

TEST_P(FusedOps, AddRmsNorm) {
  for (const std::int64_t width : {8, 33, 250, 255, 768, 1024, 1000}) {
    SCOPED_TRACE(width);
    const Tensors inputs = {normal({3, 37, width}), normal({3, 37, width}), normal({width}) + 1};
    const Tensors through = {normal({3, 37, width}), normal({3, 37, width})};
    expect_equal(
        [](const Tensors& in) -> Tensors {
          const NormedSum out = add_rms_norm(in[0], in[1], in[2]);
          return {out.normed, out.sum};
        },
        [](const Tensors& in) -> Tensors {
          const at::Tensor sum = in[0] + in[1];
          return {exact_norm(sum, in[2]), sum};
        },
        inputs, through);
    expect_equal(
        [](const Tensors& in) -> Tensors { return {add_rms_norm(in[0], {}, in[1]).normed}; },
        [](const Tensors& in) -> Tensors { return {exact_norm(in[0], in[1])}; },
        {inputs[0], inputs[2]}, {through[0]});
  }
}

TEST_P(FusedOps, NormedHeads) {
  for (const Shape& shape : {Shape{1, 768, 6, 2}, Shape{1, 96, 6, 2}, Shape{1, 128, 2, 2},
                             Shape{1, 60, 6, 3}, Shape{1, 512, 2, 1}}) {
    SCOPED_TRACE(shape.head_size());
    const std::int64_t length = 19, width = shape.d_model + 2 * shape.kv_size();
    const RotaryTables tables = make_rotary_tables(length, shape.head_size(), at::kCUDA);
    const RotaryTables exact_tables{tables.cos.cpu().to(at::kDouble),
                                    tables.sin.cpu().to(at::kDouble)};
    const std::int64_t size = shape.head_size();
    const Tensors through = {normal({2, shape.heads, length, size}),
                             normal({2, shape.kv_heads, length, size}),
                             normal({2, shape.kv_heads, length, size})};
    const auto all = [](const Heads& heads) -> Tensors {
      return {heads.query, heads.key, heads.value};
    };
    expect_equal(
        [&](const Tensors& in) { return all(normed_heads(in[0], in[1], in[2], tables, shape)); },
        [&](const Tensors& in) -> Tensors {
          const auto parts =
              in[0].split_with_sizes({shape.d_model, shape.kv_size(), shape.kv_size()}, -1);
          const auto heads = [&](const at::Tensor& x) {
            return x.view({2, length, -1, size}).transpose(1, 2);
          };
          return {rotate(exact_norm(heads(parts[0]), in[1]), exact_tables),
                  rotate(exact_norm(heads(parts[1]), in[2]), exact_tables), heads(parts[2])};
        },
        {normal({2, length, width}), normal({size}) + 1, normal({size}) + 1}, through);
  }
}

TEST_P(FusedOps, Swiglu) {
  for (const std::int64_t width : {1, 7, 256, 2048, 2816}) {
    SCOPED_TRACE(width);
    expect_equal([](const Tensors& in) -> Tensors { return {swiglu(in[0])}; },
                 [](const Tensors& in) -> Tensors {
                   const auto parts = in[0].chunk(2, -1);
                   return {at::silu(parts[0]) * parts[1]};
                 },
                 {3 * normal({5, 11, 2 * width})}, {normal({5, 11, width})});
  }
}

TEST_P(FusedOps, CrossEntropy) {
  for (const std::int64_t width : {64, 501, 512, 32768, 50304}) {
    SCOPED_TRACE(width);
    const at::Tensor targets = at::randint(width, {2, 9}, at::TensorOptions(at::kLong));
    // The logits that are overwritten are a product's, as in the model, and no leaf.
    expect_equal(
        [&](const Tensors& in) -> Tensors { return {fused_cross_entropy(in[0] * 1, in[1], 0.5)}; },
        [&](const Tensors& in) -> Tensors {
          return {at::cross_entropy_loss(in[0].flatten(0, 1), in[1].flatten()) * 0.5};
        },
        {4 * normal({2, 9, width}), targets}, {});
  }
}

INSTANTIATE_TEST_SUITE_P(Types, FusedOps, testing::Values(at::kFloat, at::kBFloat16),
                         [](const auto& type) {
                           return type.param == at::kFloat ? "float32" : "bfloat16";
                         });

}  // namespace
}  // namespace stepscope::llm
