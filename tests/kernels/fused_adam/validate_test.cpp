// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "kernels/fused_adam/fused_adam.hpp"

namespace stepscope::kernels {
namespace {

// Pointers that nothing reads: only their alignment is looked at.
template <class T>
T* pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

AdamState good_state() {
  return {pointer<float>(0x1000), pointer<float>(0x2000), pointer<float>(0x3000),
          pointer<Bfloat16>(0x4000)};
}

template <class Arguments>
std::string where(Arguments arguments, const std::function<void(Arguments&)>& change = {}) {
  if (change) change(arguments);
  return validate(arguments).where();
}

TEST(ValidateAdam, NamesTheBadSetting) {
  using S = AdamSettings;
  EXPECT_EQ(where(S{}), "");
  EXPECT_EQ(where<S>({}, [](auto& s) { s.learning_rate = -1; }), "learning_rate");
  EXPECT_EQ(where<S>({}, [](auto& s) { s.beta1 = 1; }), "beta1");
  EXPECT_EQ(where<S>({}, [](auto& s) { s.beta2 = -0.1; }), "beta2");
  EXPECT_EQ(where<S>({}, [](auto& s) { s.epsilon = NAN; }), "epsilon");
  EXPECT_EQ(where<S>({}, [](auto& s) { s.weight_decay = -1; }), "weight_decay");
  EXPECT_EQ(where<S>({}, [](auto& s) { s.step = 0; }), "step");
  EXPECT_EQ(where<S>({}, [](auto& s) { s.device_step = pointer<const std::int64_t>(0x1004); }),
            "device_step");
  EXPECT_EQ(where<S>({},
                     [](auto& s) {
                       s.step = 0;
                       s.device_step = pointer<const std::int64_t>(0x1000);
                     }),
            "")
      << "the device's step counts";
}

TEST(ValidateAdam, NamesTheBadPartOfADenseCall) {
  using Call = FusedAdam;
  const Call good{good_state(), 100, pointer<void>(0x5000)};
  EXPECT_EQ(where(good), "");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.count = -1; }), "count");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.state.parameters = nullptr; }), "parameters");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.state.first_moments = pointer<float>(0x2004); }),
            "first_moments");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.state.second_moments = nullptr; }), "second_moments");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.state.copy = pointer<Bfloat16>(0x4002); }), "copy");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.state.copy = nullptr; }), "") << "no copy";
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.gradients = pointer<void>(0x5008); }), "gradients");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.gradient_type = KeyType::float16; }),
            "gradient_type");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.settings.step = -3; }), "step");
  EXPECT_EQ(where(Call{}), "") << "nothing to update";
}

TEST(ValidateAdam, NamesTheBadPartOfACallByRows) {
  using Call = FusedAdamRows;
  const Call good{good_state(), 10, 8, pointer<const std::int32_t>(0x6000), pointer<void>(0x5000)};
  EXPECT_EQ(where(good), "");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.row_length = 6; }), "row_length");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.rows = std::int64_t{1} << 31; }), "rows");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.slots = nullptr; }), "slots");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.gradients = nullptr; }), "gradients");
}

TEST(ValidateAdam, NamesTheBadPartOfADecoderCall) {
  using Call = FusedAdamDecoder;
  Call good;
  good.state = good_state();
  good.shape = {4, 100, 64, 10};
  good.by_feature = {pointer<const std::int64_t>(0x1000), pointer<const std::int32_t>(0x2000),
                     pointer<const void>(0x3000), KeyType::bfloat16, 50};
  good.output_gradients = {pointer<const void>(0x4000), KeyType::float32, 256, 64};
  EXPECT_EQ(where(good), "");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.shape.model = 4; }), "model");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.by_feature.values = nullptr; }), "values");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.output_gradients.data = nullptr; }),
            "output_gradients");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.state.second_moments = nullptr; }), "second_moments");

  good.by_feature.values = nullptr;
  good.output_gradients = {};
  EXPECT_TRUE(validate_silent(good).ok()) << "neither is read";
  good.by_feature.offsets = nullptr;
  EXPECT_STREQ(validate_silent(good).where(), "offsets");
}

}  // namespace
}  // namespace stepscope::kernels
