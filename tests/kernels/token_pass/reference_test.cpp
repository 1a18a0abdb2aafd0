// SPDX-License-Identifier: Apache-2.0
#include "kernels/token_pass/token_pass_reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/token_pass/made_numbers.hpp"

namespace stepscope::kernels {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

std::vector<Bfloat16> bf16(const std::vector<float>& numbers) {
  std::vector<Bfloat16> out;
  for (const float number : numbers) out.push_back(to_bfloat16(number));
  return out;
}

TEST(TokenLinearReference, MultipliesAddsAndTakesGelu) {
  const auto x = bf16({1, 2, -1, 0.5F}), weights = bf16({1, 0, 0.5F, 1}), more = bf16({4, 8, 0, 0});
  TokenLinear call{.rows = 2, .inputs = 2, .outputs = 2, .x = x.data(), .weights = weights.data()};
  EXPECT_THAT(token_linear_reference(call), ElementsAre(1, 2.5, -1, 0));
  call.residual = more.data();
  EXPECT_THAT(token_linear_reference(call), ElementsAre(5, 10.5, -1, 0));
  call.residual = nullptr;
  call.gelu = true;
  EXPECT_NEAR(token_linear_reference(call)[0], 0.8413447, 1e-6);
}

TEST(TokenLinearReference, NormalisesBeforeItMultiplies) {
  const auto x = bf16({1, 3}), norm = bf16({2, 1}), weights = bf16({1, 0, 0, 1});
  const TokenLinear call{.rows = 1,
                         .inputs = 2,
                         .outputs = 2,
                         .x = x.data(),
                         .norm = norm.data(),
                         .weights = weights.data(),
                         .epsilon = 0};
  EXPECT_THAT(token_linear_reference(call), ElementsAre(-2, 1));
}

TEST(TokenAttentionReference, WeighsValuesUpToThePlace) {
  // One row and head of width 2: the query looks along the first number.
  const auto heads = bf16({2, 0, 0, 0, 0, 0}), keys = bf16({0, 0, 1, 5, 9, 9});
  const auto values = bf16({1, 0, 0, 1, 7, 7});
  const std::int64_t place = 1;
  const TokenAttention call{.rows = 1,
                            .heads = 1,
                            .width = 2,
                            .positions = 3,
                            .query_key_value = heads.data(),
                            .keys = const_cast<Bfloat16*>(keys.data()),
                            .values = const_cast<Bfloat16*>(values.data()),
                            .place = &place};
  const double share = 1 / (1 + std::exp(std::sqrt(2)));
  EXPECT_THAT(token_attention_reference(call),
              ElementsAre(DoubleNear(share, 1e-9), DoubleNear(1 - share, 1e-9)));
}

}  // namespace
}  // namespace stepscope::kernels
