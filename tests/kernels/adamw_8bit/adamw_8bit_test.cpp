// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/fused_adam/fused_adam_reference.hpp"
#include "tests/kernels/adamw_8bit/made_adamw_8bit.hpp"

namespace stepscope::kernels {
namespace {

TEST(DynamicCode, AscendsFromTheLeastToTheGreatest) {
  const DynamicCode with_sign = signed_dynamic_code(), without = unsigned_dynamic_code();
  for (const DynamicCode& table : {with_sign, without}) {
    EXPECT_TRUE(std::is_sorted(table.begin(), table.end(), std::less_equal<>())) << "no two equal";
    EXPECT_EQ(table.back(), 1);
    EXPECT_EQ(table[nearest_code(table.data(), 0)], 0);
  }
  EXPECT_EQ(without.front(), 0);
  EXPECT_NEAR(without[1], 0.325e-6, 1e-9);
  EXPECT_NEAR(with_sign.front(), -0.993, 1e-3);
}

TEST(DynamicCode, TheNearestIsFoundForAnyNumber) {
  const DynamicCode table = signed_dynamic_code();
  std::vector<float> numbers = spread_numbers(3000, 5);
  numbers.insert(numbers.end(), table.begin(), table.end());
  for (const float number : {-2.0F, 2.0F, 1e-9F}) numbers.push_back(number);
  for (const float number : numbers) {
    const auto by_distance = [number](float a, float b) {
      return std::abs(a - number) < std::abs(b - number);
    };
    const float nearest = *std::min_element(table.begin(), table.end(), by_distance);
    EXPECT_FLOAT_EQ(std::abs(table[nearest_code(table.data(), number)] - number),
                    std::abs(nearest - number))
        << number;
  }
}

// Within its power of ten a code is as exact as the bits behind the leading zeros allow.
TEST(DynamicCode, RelativeErrorsGrowByPowersOfTen) {
  const DynamicCode table = signed_dynamic_code();
  for (int power = 0; power < 7; ++power) {
    const double unit = std::pow(10, -power), spacing = 0.9 / (1 << (6 - power));
    for (int i = 0; i < 200; ++i) {
      const auto number = static_cast<float>(unit * (0.1 + 0.9 * (i + 0.5) / 200));
      EXPECT_LE(std::abs(table[nearest_code(table.data(), number)] - number),
                unit * spacing * 0.51);
    }
  }
}

// Moments in doubles and in codes go the same way, as long as squares keep a code: a parameter's
// way differs by some per cent.
TEST(Adamw8Bit, StaysNearAdamWInDoublePrecision) {
  constexpr std::size_t kCount = 1000;
  Adamw8BitOnHost coded(kCount, 1);
  HostAdamState exact;
  exact.parameters.assign(coded.parameters.begin(), coded.parameters.end());
  exact.first_moments.assign(kCount, 0), exact.second_moments.assign(kCount, 0);
  const std::vector<double> begin = exact.parameters;
  AdamSettings settings;
  settings.learning_rate = 1e-3, settings.beta1 = 0.9, settings.beta2 = 0.95;
  settings.epsilon = 1e-8, settings.weight_decay = 0.1;
  settings.decay = WeightDecay::decoupled;
  for (int step = 1; step <= 20; ++step) {
    coded.set_gradients(7, 2);  // the same each step, so that ways are long
    coded.step = static_cast<float>(step);
    ASSERT_TRUE(adamw_8bit_reference(coded.call(KeyType::float32)).ok());
    settings.step = step;
    adam_reference(exact, {coded.gradients.begin(), coded.gradients.end()}, settings);
  }
  double way = 0, apart = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    way += std::abs(exact.parameters[i] - begin[i]);
    apart += std::abs(exact.parameters[i] - coded.parameters[i]);
    EXPECT_EQ(coded.copy[i].bits, to_bfloat16(coded.parameters[i]).bits);
  }
  EXPECT_GT(way / kCount, 5e-3);
  EXPECT_LT(apart, 0.03 * way);
}

TEST(Adamw8Bit, TheDivisorAndTheTypeOfGradientsCount) {
  Adamw8BitOnHost whole(300, 1), half(300, 1), narrow(300, 1);
  for (Adamw8BitOnHost* one : {&whole, &half, &narrow}) one->set_gradients(3), one->step = 1;
  half.divisor = 2;
  ASSERT_TRUE(adamw_8bit_reference(whole.call(KeyType::float32)).ok());
  ASSERT_TRUE(adamw_8bit_reference(half.call(KeyType::float32)).ok());
  ASSERT_TRUE(adamw_8bit_reference(narrow.call(KeyType::bfloat16)).ok());
  EXPECT_FLOAT_EQ(half.mean_scales[0], whole.mean_scales[0] / 2);
  EXPECT_FLOAT_EQ(half.square_scales[1], whole.square_scales[1] / 4);
  EXPECT_NEAR(narrow.mean_scales[0], whole.mean_scales[0], 0.004 * whole.mean_scales[0]);
}

TEST(Adamw8Bit, BadArgumentsAreNamed) {
  Adamw8BitOnHost host(8, 1);
  host.set_gradients(1);
  Adamw8Bit call = host.call(KeyType::float16);
  EXPECT_THAT(adamw_8bit_reference(call).message(), testing::HasSubstr("gradient_type"));
  call = host.call(KeyType::float32);
  call.step = nullptr;
  EXPECT_THAT(adamw_8bit_reference(call).message(), testing::HasSubstr("a pointer is null"));
}

}  // namespace
}  // namespace stepscope::kernels
