// SPDX-License-Identifier: Apache-2.0
// The kernels against the reference, alone and one behind the other in a graph, where each begins
// before the one ahead of it has ended.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/stream.hpp"
#include "kernels/token_pass/token_pass_reference.hpp"
#include "tests/kernels/support/gpu_found.hpp"
#include "tests/kernels/token_pass/made_numbers.hpp"

namespace stepscope::kernels {
namespace {

using Numbers = std::vector<Bfloat16>;

// Rounded to bfloat16, of a sum in float in another order.
void expect_rounded(const Numbers& found, const std::vector<double>& expected,
                    const std::string& about) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(to_float(found[i]), expected[i], 1e-3 + std::fabs(expected[i]) / 128)
        << about << ", number " << i;
}

class TokenPassGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
  const Stream stream_;
};

struct LinearShape {
  std::int64_t rows, inputs, outputs;
};

TEST_F(TokenPassGpu, ProductsAreTheReferences) {
  for (const auto& [rows, inputs, outputs] : {LinearShape{1, 256, 8},
                                              {6, 1024, 3072},
                                              {8, 512, 2048},
                                              {9, 768, 64},
                                              {16, 2048, 1032},
                                              {6, 4096, 1024}})
    for (const int kind : {0, 1, 2, 3}) {
      const bool norm = kind % 2 == 1 && inputs <= kTokenMostNormInputs;
      const Numbers x = made_numbers(rows * inputs, 1.5, 1), factors = made_numbers(inputs, 1, 2);
      const Numbers weights = made_numbers(inputs * outputs, 0.02, 3);
      const Numbers more = made_numbers(rows * outputs, 1, 4);
      TokenLinear host{.rows = rows,
                       .inputs = inputs,
                       .outputs = outputs,
                       .x = x.data(),
                       .norm = norm ? factors.data() : nullptr,
                       .weights = weights.data(),
                       .residual = kind == 2 ? more.data() : nullptr,
                       .gelu = kind == 3};
      const DeviceBuffer<Bfloat16> on_x(x), on_norm(factors), on_weights(weights), on_more(more);
      const DeviceBuffer<Bfloat16> out(static_cast<std::size_t>(rows * outputs));
      TokenLinear call = host;
      call.x = on_x.data(), call.weights = on_weights.data(), call.out = out.data();
      if (norm) call.norm = on_norm.data();
      if (kind == 2) call.residual = on_more.data();
      EXPECT_EQ(token_linear(call, stream_.get()).message(), "");
      stream_.synchronize();
      expect_rounded(out.to_host(), token_linear_reference(host),
                     std::to_string(inputs) + " inputs, kind " + std::to_string(kind));
    }
}

TEST_F(TokenPassGpu, AttentionIsTheReferencesAndKeepsTheToken) {
  for (const std::int64_t width : {8, 64, 128})
    for (const std::int64_t place : {0, 1, 77, 299}) {
      const std::int64_t rows = 3, heads = 5, positions = 300,
                         cached = rows * heads * positions * width;
      const Numbers heads_of_rows = made_numbers(rows * 3 * heads * width, 1, 1);
      const Numbers old_keys = made_numbers(cached, 1, 2), old_values = made_numbers(cached, 1, 3);
      const DeviceBuffer<Bfloat16> on_heads(heads_of_rows), keys(old_keys), values(old_values);
      const DeviceBuffer<Bfloat16> out(static_cast<std::size_t>(rows * heads * width));
      const DeviceBuffer<std::int64_t> on_place(std::vector<std::int64_t>{place});
      TokenAttention call{.rows = rows,
                          .heads = heads,
                          .width = width,
                          .positions = positions,
                          .query_key_value = on_heads.data(),
                          .keys = keys.data(),
                          .values = values.data(),
                          .place = on_place.data(),
                          .out = out.data()};
      EXPECT_EQ(token_attention(call, stream_.get()).message(), "");
      stream_.synchronize();
      Numbers new_keys = keys.to_host(), new_values = values.to_host();
      for (std::int64_t line = 0; line < rows * heads; ++line)
        for (std::int64_t k = 0; k < width; ++k) {
          const auto own = static_cast<std::size_t>(
              (3 * (line / heads) * heads + heads + line % heads) * width + k);
          const auto at = static_cast<std::size_t>((line * positions + place) * width + k);
          ASSERT_EQ(new_keys[at].bits, heads_of_rows[own].bits);
          ASSERT_EQ(new_values[at].bits,
                    heads_of_rows[own + static_cast<std::size_t>(heads * width)].bits);
        }
      call.query_key_value = heads_of_rows.data();
      call.keys = new_keys.data(), call.values = new_values.data();
      call.place = &place;
      expect_rounded(out.to_host(), token_attention_reference(call),
                     "width " + std::to_string(width) + ", place " + std::to_string(place));
    }
}

// Twenty products, each of what the one before wrote, whose buffers take turns.
TEST_F(TokenPassGpu, AGraphOfThemGivesTheBitsOfSingleCalls) {
  constexpr std::int64_t kRows = 6, kWidth = 1024;
  const Numbers x = made_numbers(kRows * kWidth, 1, 1), factors = made_numbers(kWidth, 1, 2);
  const DeviceBuffer<Bfloat16> weights(made_numbers(kWidth * kWidth, 0.03, 3)), norm(factors);
  const DeviceBuffer<Bfloat16> first(x), second(x.size());
  const auto call = [&](int i) {
    const DeviceBuffer<Bfloat16>&from = i % 2 == 0 ? first : second,
          &to = i % 2 == 0 ? second : first;
    EXPECT_EQ(token_linear({.rows = kRows,
                            .inputs = kWidth,
                            .outputs = kWidth,
                            .x = from.data(),
                            .norm = norm.data(),
                            .weights = weights.data(),
                            .residual = from.data(),
                            .out = to.data()},
                           stream_.get())
                  .message(),
              "");
  };
  for (int i = 0; i < 20; ++i) {
    call(i);
    stream_.synchronize();
  }
  const Numbers expected = first.to_host();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cuda_check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal), "capture");
  for (int i = 0; i < 20; ++i) call(i);
  cuda_check(cudaStreamEndCapture(stream_.get(), &graph), "capture");
  cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (int repeat = 0; repeat < 20; ++repeat) {
    first.put(x);
    cuda_check(cudaGraphLaunch(executable, stream_.get()), "cudaGraphLaunch");
    stream_.synchronize();
    const Numbers found = first.to_host();
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i].bits, expected[i].bits) << "repeat " << repeat << ", number " << i;
  }
  (void)cudaGraphExecDestroy(executable);
  (void)cudaGraphDestroy(graph);
}

}  // namespace
}  // namespace stepscope::kernels
