// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "kernels/coded_adam/coded_adam.hpp"

namespace stepscope::kernels {
namespace {

// Pointers that nothing reads: only their alignment is looked at.
template <class T>
T* address(std::uintptr_t number) {
  return reinterpret_cast<T*>(number);
}

CodedAdamState coded_pointers() {
  return {address<float>(0x1000), address<std::uint8_t>(0x2004), address<std::uint8_t>(0x3004),
          address<MomentScales>(0x4008)};
}

template <class Arguments>
std::string refused(Arguments arguments, const std::function<void(Arguments&)>& change = {}) {
  if (change) change(arguments);
  return validate(arguments).where();
}

TEST(ValidateCodedAdam, NamesTheBadPartOfACall) {
  using Call = CodedAdam;
  const Call good{coded_pointers(), 10, 768, address<const float>(0x5000), {}};
  EXPECT_EQ(refused(good), "");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.vectors = -1; }), "vectors");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.vectors = std::int64_t{1} << 30; }), "vectors");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.length = 12; }), "length");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.state.parameters = nullptr; }), "parameters");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.state.first_codes = address<std::uint8_t>(2); }),
            "first_codes");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.state.second_codes = nullptr; }), "second_codes");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.state.scales = address<MomentScales>(4); }),
            "scales");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.gradients = nullptr; }), "gradients");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.settings.step = 0; }), "step");
  EXPECT_EQ(refused(Call{}), "") << "nothing to update";
}

// Features without a gradient only decay: a decay that is added to gradients is not theirs.
TEST(ValidateCodedAdam, WeightDecayIsDecoupled) {
  using Call = CodedAdam;
  const Call good{coded_pointers(), 10, 768, address<const float>(0x5000), {}};
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.settings.weight_decay = 0.1; }), "weight_decay");
  EXPECT_EQ(refused<Call>(good,
                          [](auto& a) {
                            a.settings.weight_decay = 0.1;
                            a.settings.decay = WeightDecay::decoupled;
                          }),
            "");
}

TEST(ValidateCodedAdam, NamesTheBadPartOfADecoderCall) {
  using Call = CodedAdamDecoder;
  Call good;
  good.state = coded_pointers();
  good.shape = {4, 100, 64, 10};
  good.by_feature = {address<const std::int64_t>(0x1000), address<const std::int32_t>(0x2000),
                     address<const void>(0x3000), KeyType::float32, 50};
  good.output_gradients = {address<const void>(0x4000), KeyType::float32, 256, 64};
  EXPECT_EQ(refused(good), "");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.shape.model = 4; }), "model");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.by_feature.values = nullptr; }), "values");
  EXPECT_EQ(refused<Call>(good, [](auto& a) { a.output_gradients.data = nullptr; }),
            "output_gradients");
  good.by_feature.values = nullptr;
  good.output_gradients = {};
  EXPECT_TRUE(validate_silent(good).ok()) << "neither is read";
  good.state.scales = nullptr;
  EXPECT_STREQ(validate_silent(good).where(), "scales");
}

}  // namespace
}  // namespace stepscope::kernels
