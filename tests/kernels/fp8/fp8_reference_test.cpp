// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernels/fp8/fp8_numbers.hpp"

namespace stepscope::kernels {
namespace {

using testing::HasSubstr;

struct CodesOnHost {
  std::vector<std::uint8_t> codes, transposed;
  float scale = 1, amax = 0;

  explicit CodesOnHost(std::size_t count) : codes(count), transposed(count) {}
  Fp8Codes to(Fp8Format format) { return {format, &scale, codes.data(), transposed.data(), &amax}; }
};

TEST(Fp8Reference, CodesAreOfTheScaledNumbersAndTheirTransposeIsOne) {
  constexpr std::int64_t kRows = 16, kColumns = 32;
  const std::vector<float> numbers = fp8_numbers(kRows * kColumns, 3);
  for (const Fp8Format format : {Fp8Format::e4m3, Fp8Format::e5m2}) {
    CodesOnHost out(numbers.size());
    out.scale = 64;
    ASSERT_TRUE(
        fp8_quantise_reference({KeyType::float32, kRows, kColumns, numbers.data(), out.to(format)})
            .ok());
    float greatest = 0;
    for (std::int64_t r = 0; r < kRows; ++r)
      for (std::int64_t c = 0; c < kColumns; ++c) {
        const auto at = static_cast<std::size_t>(r * kColumns + c);
        EXPECT_EQ(out.codes[at], to_fp8(format, numbers[at] * 64));
        EXPECT_EQ(out.transposed[static_cast<std::size_t>(c * kRows + r)], out.codes[at]);
        greatest = std::fmax(greatest, std::fabs(numbers[at]));
      }
    EXPECT_EQ(out.amax, greatest);
  }
}

// The error is half a last place of the code's number: 1/16 of it in E4M3, 1/8 in E5M2.
TEST(Fp8Reference, ErrorsAreHalfALastPlace) {
  const std::vector<float> numbers = spread_numbers(4096, 9, 1);
  for (const auto& [format, most] :
       {std::pair{Fp8Format::e4m3, 1.0F / 16}, std::pair{Fp8Format::e5m2, 1.0F / 8}}) {
    const float scale = fp8_scale(1, layout_of(format).greatest);
    for (const float number : numbers)
      EXPECT_LE(std::fabs(from_fp8(format, to_fp8(format, number * scale)) / scale - number),
                most * std::fabs(number));
  }
}

TEST(Fp8Reference, SwigluIsQuantisedFromDouble) {
  constexpr std::int64_t kRows = 16, kWidth = 16;
  const std::vector<float> packed = fp8_numbers(kRows * 2 * kWidth, 5, 4);
  const std::vector<float> through = fp8_numbers(kRows * kWidth, 6);
  CodesOnHost out(kRows * kWidth), gradient(kRows * 2 * kWidth);
  ASSERT_TRUE(fp8_swiglu_reference(
                  {KeyType::float32, kRows, kWidth, packed.data(), out.to(Fp8Format::e4m3)})
                  .ok());
  ASSERT_TRUE(fp8_swiglu_gradient_reference({KeyType::float32, kRows, kWidth, packed.data(),
                                             through.data(), gradient.to(Fp8Format::e5m2)})
                  .ok());
  const auto swiglu = [](double gate, double up) { return gate / (1 + std::exp(-gate)) * up; };
  constexpr double kStep = 1e-6;
  for (std::int64_t r = 0; r < kRows; ++r)
    for (std::int64_t c = 0; c < kWidth; ++c) {
      const double gate = packed[static_cast<std::size_t>(r * 2 * kWidth + c)];
      const double up = packed[static_cast<std::size_t>((r * 2 + 1) * kWidth + c)];
      const double g = through[static_cast<std::size_t>(r * kWidth + c)];
      const auto at = static_cast<std::size_t>(r * kWidth + c);
      EXPECT_EQ(out.codes[at], to_fp8(Fp8Format::e4m3, static_cast<float>(swiglu(gate, up))));
      const double of_gate =
          g * (swiglu(gate + kStep, up) - swiglu(gate - kStep, up)) / (2 * kStep);
      const double of_up = g * swiglu(gate, 1);
      const auto place = [](double number) {
        return place_of_code(Fp8Format::e5m2, to_fp8(Fp8Format::e5m2, static_cast<float>(number)));
      };
      const auto coded = [&](std::int64_t column) {
        return place_of_code(Fp8Format::e5m2,
                             gradient.codes[static_cast<std::size_t>(r * 2 * kWidth + column)]);
      };
      EXPECT_NEAR(coded(c), place(of_gate), 1);
      EXPECT_NEAR(coded(kWidth + c), place(of_up), 1);
    }
}

TEST(Fp8Scales, FollowTheGreatestOfTheLastSteps) {
  const std::vector<float> greatest = {448, 57344};
  std::vector<float> amax(2), history(3 * 2), scale(2, 1), inverse(2, 1);
  const auto step = [&](float first, float second) {
    amax = {first, second};
    EXPECT_TRUE(fp8_update_scales_reference({2, 3, greatest.data(), amax.data(), history.data(),
                                             scale.data(), inverse.data()})
                    .ok());
    EXPECT_EQ(amax, (std::vector<float>{0, 0}));
    EXPECT_EQ(scale[0] * inverse[0], 1);
  };
  step(7, 0);
  EXPECT_EQ(scale, (std::vector<float>{64, 1}));
  step(1, 14);
  EXPECT_EQ(scale, (std::vector<float>{64, 4096}));
  step(1, 1);
  EXPECT_EQ(scale[0], 64);
  step(1, std::numeric_limits<float>::infinity());  // which joins nothing
  EXPECT_EQ(scale, (std::vector<float>{256, 4096})) << "7 is four steps old";
  EXPECT_EQ(history, (std::vector<float>{1, 1, 1, 14, 1, 0}));
}

TEST(Fp8Scales, WithoutAHistoryAreThoseOfTheLastNumbers) {
  const float greatest = 448;
  float amax = 0, scale = 0, inverse = 0;
  const std::vector<float> numbers = {1, -7, 3, 0, 2, 2, 2, 2};
  ASSERT_TRUE(fp8_amax_reference({KeyType::float32, 8, numbers.data(), &amax}).ok());
  EXPECT_EQ(amax, 7);
  ASSERT_TRUE(
      fp8_update_scales_reference({1, 0, &greatest, &amax, nullptr, &scale, &inverse}).ok());
  EXPECT_EQ(scale, 64);
  ASSERT_TRUE(fp8_amax_reference({KeyType::float32, 0, nullptr, &amax}).ok());
  EXPECT_EQ(amax, 0) << "of an empty tensor";
}

TEST(Fp8Reference, BadArgumentsAreNamed) {
  alignas(16) float numbers[256] = {};
  CodesOnHost out(256);
  const Fp8Codes to = out.to(Fp8Format::e4m3);
  const auto message = [&](std::int64_t rows, std::int64_t columns, const void* from) {
    return fp8_quantise_reference({KeyType::float32, rows, columns, from, to}).message();
  };
  EXPECT_EQ(message(16, 16, numbers), "");
  EXPECT_EQ(message(0, 16, nullptr), "") << "nothing to do";
  EXPECT_THAT(message(15, 16, numbers), HasSubstr("rows: must be a multiple of 16"));
  EXPECT_THAT(message(16, 24, numbers), HasSubstr("columns: must be a multiple of 16"));
  EXPECT_THAT(message(16, 16, nullptr), HasSubstr("from"));
  EXPECT_THAT(message(16, 16, numbers + 1), HasSubstr("aligned to 16 bytes"));
  EXPECT_THAT(fp8_amax_reference({KeyType::float32, 12, numbers, &out.amax}).message(),
              HasSubstr("count"));
}

}  // namespace
}  // namespace stepscope::kernels
