// SPDX-License-Identifier: Apache-2.0
// The reference against Adam in double precision, and what sparse gradients ask of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/fused_adam/fused_adam_reference.hpp"
#include "tests/kernels/coded_adam/made_coded_adam.hpp"

namespace stepscope::kernels {
namespace {

HostAdamState exact_state(const CodedAdamOnHost& coded) {
  HostAdamState state;
  state.parameters.assign(coded.parameters.begin(), coded.parameters.end());
  state.first_moments.assign(state.parameters.size(), 0);
  state.second_moments.assign(state.parameters.size(), 0);
  return state;
}

TEST(CodedAdam, TheFirstStepIsAdams) {
  CodedAdamOnHost coded(3, 300, 1);
  HostAdamState exact = exact_state(coded);
  coded.set_gradients(5);
  ASSERT_TRUE(coded_adam_reference(coded.call(coded_settings(1))).ok());
  adam_reference(exact, {coded.gradients.begin(), coded.gradients.end()}, coded_settings(1));
  for (std::size_t i = 0; i < coded.parameters.size(); ++i) {
    EXPECT_NEAR(coded.parameters[i], exact.parameters[i], 1e-7);
    // A code's step, or the least one's.
    const double first_step = std::max(std::abs(exact.first_moments[i]) / 8, 0x1p-18 * 0.06);
    EXPECT_NEAR(coded.first(i), exact.first_moments[i], first_step);
    EXPECT_NEAR(coded.second(i), exact.second_moments[i], exact.second_moments[i] / 8);
  }
}

// Averages that move by a tenth of a per cent a step are not lost: moments of a thousand steps have
// the mean that they should, and parameters go the same way.
TEST(CodedAdam, ALongWayIsAdamsInTheMean) {
  constexpr std::int64_t kSteps = 1500;
  CodedAdamOnHost coded(4, 512, 2);
  HostAdamState exact = exact_state(coded);
  const std::vector<double> begin = exact.parameters;
  const std::vector<float> steady = spread_moments(begin.size(), 77, 2);
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    coded.set_gradients(100 + static_cast<std::uint64_t>(step), 1);
    for (std::size_t i = 0; i < steady.size(); ++i)  // noise as large as what it hides
      coded.gradients[i] = steady[i] * (1 + coded.gradients[i]);
    ASSERT_TRUE(coded_adam_reference(coded.call(coded_settings(step))).ok());
    adam_reference(exact, {coded.gradients.begin(), coded.gradients.end()}, coded_settings(step));
  }
  double way = 0, coded_way = 0, apart = 0, second_ratio = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const double sign = steady[i] > 0 ? -1 : 1;
    way += sign * (exact.parameters[i] - begin[i]);
    coded_way += sign * (coded.parameters[i] - begin[i]);
    apart += std::abs(exact.parameters[i] - coded.parameters[i]);
    second_ratio += coded.second(i) / exact.second_moments[i];
  }
  EXPECT_NEAR(coded_way / way, 1, 0.03);
  EXPECT_LT(apart, 0.1 * way);
  EXPECT_NEAR(second_ratio / static_cast<double>(begin.size()), 1, 0.02);
}

// Blocks whose gradients are all 0: what a kernel does to silent features.
TEST(CodedAdam, WithoutAGradientCodesStayAndScalesDecay) {
  for (const std::int64_t length : {8, 256, 300, 768}) {
    CodedAdamOnHost coded(5, length, 3);
    for (std::int64_t step = 1; step <= 20; ++step) {
      coded.set_gradients(static_cast<std::uint64_t>(step));
      ASSERT_TRUE(coded_adam_reference(coded.call(coded_settings(step))).ok());
    }
    std::fill(coded.gradients.begin(), coded.gradients.end(), 0.0F);
    for (std::int64_t step = 21; step <= 300; ++step) {
      const CodedAdamOnHost before = coded;
      const AdamFactors factors = adam_factors(coded_settings(step), step);
      ASSERT_TRUE(coded_adam_reference(coded.call(coded_settings(step))).ok());
      ASSERT_EQ(coded.second_codes, before.second_codes) << step;
      for (std::size_t i = 0; i < coded.scales.size(); ++i) {
        const MomentScales wanted = decayed(before.scales[i], 1 - factors.to_first, factors.beta2);
        ASSERT_NEAR(coded.scales[i].first / wanted.first, 1, 4e-7) << step;
        ASSERT_NEAR(coded.scales[i].second / wanted.second, 1, 4e-7) << step;
      }
      for (std::size_t i = 0; i < coded.first_codes.size(); ++i) {  // -0 may become 0
        ASSERT_EQ(coded.first_codes[i] & 0x7f, before.first_codes[i] & 0x7f) << step;
        if ((before.first_codes[i] & 0x7f) != 0) {
          ASSERT_EQ(coded.first_codes[i], before.first_codes[i]) << step;
        }
      }
    }
  }
}

// A gradient in one of 50 steps, at another place of the block each time, and of any size: no step
// may be longer than Adam's longest. If a second moment became 0, one would be first / epsilon.
TEST(CodedAdam, SparseGradientsMakeNoLongSteps) {
  CodedAdamOnHost coded(2, 256, 4);
  HostAdamState exact = exact_state(coded);
  double longest = 0, longest_exact = 0;
  for (std::int64_t step = 1; step <= 600; ++step) {
    const std::vector<float> some =
        spread_moments(coded.gradients.size(), static_cast<std::uint64_t>(1000 + step), 9);
    for (std::size_t i = 0; i < some.size(); ++i)
      coded.gradients[i] = (static_cast<std::int64_t>(i * 7) + step) % 50 == 0 ? some[i] : 0.0F;
    const std::vector<float> before = coded.parameters;
    const std::vector<double> exact_before = exact.parameters;
    ASSERT_TRUE(coded_adam_reference(coded.call(coded_settings(step))).ok());
    adam_reference(exact, {coded.gradients.begin(), coded.gradients.end()}, coded_settings(step));
    for (std::size_t i = 0; i < before.size(); ++i) {
      ASSERT_FALSE(coded.second_codes[i] == 0 && coded.gradients[i] != 0);
      longest = std::max<double>(longest, std::abs(coded.parameters[i] - before[i]));
      longest_exact =
          std::max<double>(longest_exact, std::abs(exact.parameters[i] - exact_before[i]));
    }
  }
  EXPECT_LT(longest, 1.5 * longest_exact);
}

TEST(CodedAdam, TheSameStepsGiveTheSameBitsAndOtherStepsOtherCodes) {
  CodedAdamOnHost one(2, 700, 5), same(2, 700, 5), other(2, 700, 5);
  for (CodedAdamOnHost* of : {&one, &same, &other}) of->set_gradients(9);
  ASSERT_TRUE(coded_adam_reference(one.call(coded_settings(4))).ok());
  ASSERT_TRUE(coded_adam_reference(same.call(coded_settings(4))).ok());
  ASSERT_TRUE(coded_adam_reference(other.call(coded_settings(5))).ok());
  EXPECT_EQ(one.parameters, same.parameters);
  EXPECT_EQ(one.first_codes, same.first_codes);
  EXPECT_EQ(one.second_codes, same.second_codes);
  EXPECT_NE(one.first_codes, other.first_codes);
  EXPECT_NE(one.second_codes, other.second_codes);
}

TEST(CodedAdam, ABlockIsTheColumnsOfOneVector) {
  CodedAdamOnHost coded(2, 264, 6);
  coded.set_gradients(1);
  for (std::size_t i = 256; i < 264; ++i) coded.gradients[i] = 1e-6F;
  ASSERT_TRUE(coded_adam_reference(coded.call(coded_settings(1))).ok());
  ASSERT_EQ(coded.scales.size(), 4U);
  EXPECT_LT(coded.scales[1].first, 1e-7);
  EXPECT_GT(coded.scales[2].first, 1e-3);
  EXPECT_EQ(coded.first_codes[260], 0x7f) << "all of the short block are its greatest";
}

// Down to scales that become 0: nothing turns negative, and so no root is NaN.
TEST(CodedAdam, MomentsDecayToZero) {
  CodedAdamOnHost coded(1, 256, 8);
  coded.set_gradients(1, 12);
  ASSERT_TRUE(coded_adam_reference(coded.call(coded_settings(1))).ok());
  std::fill(coded.gradients.begin(), coded.gradients.end(), 0.0F);
  AdamSettings settings = coded_settings(2);
  settings.beta2 = 0.9;
  const MomentScales& scales = coded.scales[0];
  for (; scales.first > 0 || scales.second > 0; ++settings.step) {
    ASSERT_LT(settings.step, 2000);
    ASSERT_TRUE(coded_adam_reference(coded.call(settings)).ok());
    for (const float parameter : coded.parameters) ASSERT_TRUE(std::isfinite(parameter));
  }
}

TEST(CodedAdam, ANumberThatIsNotFiniteShowsInTheParameter) {
  CodedAdamOnHost coded(1, 256, 7);
  coded.set_gradients(1);
  coded.gradients[3] = NAN;
  coded.gradients[100] = INFINITY;
  ASSERT_TRUE(coded_adam_reference(coded.call(coded_settings(1))).ok());
  EXPECT_TRUE(std::isnan(coded.parameters[3]));
  EXPECT_TRUE(std::isnan(coded.parameters[100]));
}

}  // namespace
}  // namespace stepscope::kernels
