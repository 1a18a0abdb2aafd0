// SPDX-License-Identifier: Apache-2.0
// Each fused operation on a GPU against the same operation in float64 with LibTorch's own autograd,
// forward and backward, in both types and at odd sizes.
#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/silu.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
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

std::string name_of_type(const testing::TestParamInfo<at::ScalarType>& type) {
  return type.param == at::kFloat ? "float32" : "bfloat16";
}

// One row; fewer rows than blocks; so many that each warp, or each team of warps, takes several.
struct NormSize {
  std::int64_t batch, rows, width;
};
constexpr NormSize kNormSizes[] = {{1, 1, 16},     {3, 37, 8},    {3, 37, 33},   {3, 37, 250},
                                   {3, 37, 255},   {3, 37, 768},  {3, 37, 1000}, {3, 37, 1024},
                                   {3, 37, 1001},  {3, 37, 1536}, {3, 37, 2048}, {6, 3001, 40},
                                   {2, 3001, 1536}};

TEST_P(FusedOps, AddRmsNorm) {
  for (const auto& [batch, rows, width] : kNormSizes) {
    SCOPED_TRACE(width);
    const Tensors inputs = {normal({batch, rows, width}), normal({batch, rows, width}),
                            normal({width}) + 1};
    const Tensors through = {normal({batch, rows, width}), normal({batch, rows, width})};
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
    // The model's last norm: nothing goes on with the sum.
    expect_equal(
        [](const Tensors& in) -> Tensors { return {add_rms_norm(in[0], in[1], in[2]).normed}; },
        [](const Tensors& in) -> Tensors { return {exact_norm(in[0] + in[1], in[2])}; }, inputs,
        {through[0]});
  }
}

TEST_P(FusedOps, TheWidestNormOfBfloat16) {
  if (GetParam() != at::kBFloat16) GTEST_SKIP() << "float32 goes up to 2048";
  expect_equal([](const Tensors& in) -> Tensors { return {add_rms_norm(in[0], {}, in[1]).normed}; },
               [](const Tensors& in) -> Tensors { return {exact_norm(in[0], in[1])}; },
               {normal({2, 2999, 4096}), normal({4096}) + 1}, {normal({2, 2999, 4096})});
}

struct HeadsCase {
  Shape shape;
  std::int64_t batch, length;
  bool documents;  // each token has angles of its own
};

// Positions of documents of 1, 2, 3, ... tokens.
at::Tensor document_places(std::int64_t batch, std::int64_t length) {
  const at::Tensor places = at::empty({batch, length}, at::TensorOptions(at::kLong));
  auto* place = places.mutable_data_ptr<std::int64_t>();
  std::int64_t size = 1, at = 0;
  for (std::int64_t i = 0; i < batch * length; ++i) {
    if (i % length == 0 || at == size) at = 0, ++size;
    place[i] = at++;
  }
  return places;
}

class FusedHeads : public FusedOps {
 protected:
  void expect_heads(const HeadsCase& of) {
    const Shape& shape = of.shape;
    const std::int64_t width = shape.d_model + 2 * shape.kv_size(), size = shape.head_size();
    const at::Tensor places = document_places(of.batch, of.length);
    const auto tables_on = [&](at::Device device) {
      const RotaryTables tables = make_rotary_tables(of.length, size, device);
      return of.documents ? tables_at(tables, places.to(device)) : tables;
    };
    const RotaryTables tables = tables_on(at::kCUDA), on_host = tables_on(at::kCPU);
    const RotaryTables exact_tables{on_host.cos.to(at::kDouble), on_host.sin.to(at::kDouble)};
    const auto all = [](const Heads& heads) -> Tensors {
      return {heads.query, heads.key, heads.value};
    };
    expect_equal(
        [&](const Tensors& in) { return all(normed_heads(in[0], in[1], in[2], tables, shape)); },
        [&](const Tensors& in) -> Tensors {
          const auto parts =
              in[0].split_with_sizes({shape.d_model, shape.kv_size(), shape.kv_size()}, -1);
          const auto heads = [&](const at::Tensor& x) {
            return x.view({of.batch, of.length, -1, size}).transpose(1, 2);
          };
          return {rotate(exact_norm(heads(parts[0]), in[1]), exact_tables),
                  rotate(exact_norm(heads(parts[1]), in[2]), exact_tables), heads(parts[2])};
        },
        {normal({of.batch, of.length, width}), normal({size}) + 1, normal({size}) + 1},
        {normal({of.batch, shape.heads, of.length, size}),
         normal({of.batch, shape.kv_heads, of.length, size}),
         normal({of.batch, shape.kv_heads, of.length, size})});
  }
};

TEST_P(FusedHeads, NormedHeads) {
  for (const Shape& shape : {Shape{1, 768, 6, 2}, Shape{1, 96, 6, 2}, Shape{1, 128, 2, 2},
                             Shape{1, 60, 6, 3}, Shape{1, 512, 2, 1}, Shape{1, 6, 3, 1}}) {
    SCOPED_TRACE(shape.head_size());
    expect_heads({shape, 2, 19, false});
    expect_heads({shape, 2, 19, true});
  }
}

// So many heads that a warp goes from one to the next, over ends of tokens and of sequences.
TEST_P(FusedHeads, ManyTokens) {
  for (const bool documents : {false, true}) expect_heads({Shape{1, 96, 6, 2}, 3, 1201, documents});
  expect_heads({Shape{1, 384, 3, 3}, 701, 5, false});
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

// Far out silu is 0 or its argument, and nothing in between overflows.
TEST_P(FusedOps, SwigluOfLargeNumbers) {
  expect_equal([](const Tensors& in) -> Tensors { return {swiglu(in[0])}; },
               [](const Tensors& in) -> Tensors {
                 const auto parts = in[0].chunk(2, -1);
                 return {at::silu(parts[0]) * parts[1]};
               },
               {200 * normal({3, 7, 66})}, {normal({3, 7, 33})});
}

// exp() of the greatest logits alone is infinite in float32.
TEST_P(FusedOps, CrossEntropyOfLargeLogits) {
  const at::Tensor targets = at::randint(333, {2, 9}, at::TensorOptions(at::kLong));
  expect_equal(
      [&](const Tensors& in) -> Tensors { return {fused_cross_entropy(in[0] * 1, in[1], 0.25)}; },
      [&](const Tensors& in) -> Tensors {
        return {at::cross_entropy_loss(in[0].flatten(0, 1), in[1].flatten()) * 0.25};
      },
      {40 * normal({2, 9, 333}) + 60, targets}, {});
}

TEST_P(FusedOps, TokenLossesLeaveTheLogits) {
  const at::Tensor logits = (4 * normal({3, 5, 501})).to(at::kCUDA, GetParam());
  const at::Tensor before = logits.clone();
  const at::Tensor targets = at::randint(501, {3, 5}, at::TensorOptions(at::kLong));
  const at::Tensor got = token_losses(logits, targets.to(at::kCUDA)).cpu().to(at::kDouble);
  const at::Tensor expected = at::cross_entropy_loss(logits.cpu().to(at::kDouble).flatten(0, 1),
                                                     targets.flatten(), {}, at::Reduction::None);
  EXPECT_LT((got - expected).abs().max().item<double>(), 1e-4);
  EXPECT_TRUE(logits.equal(before));
}

// Sums over rows have a fixed order, so that two trainings are the same to the bit.
TEST_P(FusedOps, TwoRunsHaveTheSameBits) {
  const Shape shape{1, 96, 6, 2};
  const RotaryTables tables = make_rotary_tables(601, 16, at::kCUDA);
  const auto there = [&](at::IntArrayRef sizes) { return normal(sizes).to(at::kCUDA, GetParam()); };
  const Tensors norm_in = {there({5, 601, 96}), there({5, 601, 96}), there({96})};
  const Tensors wide_norm_in = {there({5, 601, 1536}), there({5, 601, 1536}), there({1536})};
  const Tensors heads_in = {there({5, 601, 160}), there({16}), there({16})};
  const Operation norm = [](const Tensors& in) -> Tensors {
    return {add_rms_norm(in[0], in[1], in[2]).normed};
  };
  const Operation heads = [&](const Tensors& in) -> Tensors {
    const Heads out = normed_heads(in[0], in[1], in[2], tables, shape);
    return {out.query, out.key, out.value};
  };
  const Tensors through_norm = {normal({5, 601, 96})};
  const Tensors through_wide_norm = {normal({5, 601, 1536})};
  const Tensors through_heads = {normal({5, 6, 601, 16}), normal({5, 2, 601, 16}),
                                 normal({5, 2, 601, 16})};
  const auto expect_same = [](const Tensors& a, const Tensors& b) {
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].equal(b[i])) << "tensor " << i;
  };
  expect_same(run(norm, norm_in, through_norm), run(norm, norm_in, through_norm));
  expect_same(run(norm, wide_norm_in, through_wide_norm),
              run(norm, wide_norm_in, through_wide_norm));
  expect_same(run(heads, heads_in, through_heads), run(heads, heads_in, through_heads));
}

INSTANTIATE_TEST_SUITE_P(Types, FusedOps, testing::Values(at::kFloat, at::kBFloat16), name_of_type);
INSTANTIATE_TEST_SUITE_P(Types, FusedHeads, testing::Values(at::kFloat, at::kBFloat16),
                         name_of_type);

}  // namespace
}  // namespace stepscope::llm
