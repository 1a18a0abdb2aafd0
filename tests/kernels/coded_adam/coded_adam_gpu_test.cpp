// SPDX-License-Identifier: Apache-2.0
// Codes and scales are the reference's to the bit; parameters differ by the device's root and
// reciprocal. A decoder's update is that of its gradient written out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/stream.hpp"
#include "tests/kernels/coded_adam/made_coded_adam.hpp"
#include "tests/kernels/sparse_decoder/decoder_on_device.hpp"
#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {
namespace {

class CodedAdamOnDevice {
 public:
  explicit CodedAdamOnDevice(const CodedAdamOnHost& from)
      : vectors_(from.vectors),
        length_(from.length),
        parameters_(from.parameters),
        gradients_(from.gradients),
        first_codes_(from.first_codes),
        second_codes_(from.second_codes),
        scales_(from.scales) {}

  CodedAdamState state() const {
    return {parameters_.data(), first_codes_.data(), second_codes_.data(), scales_.data()};
  }
  CodedAdam call(const AdamSettings& settings) const {
    return {state(), vectors_, length_, gradients_.data(), settings};
  }
  CodedAdamOnHost now() const {
    CodedAdamOnHost host(vectors_, length_, 1);
    host.parameters = parameters_.to_host();
    host.first_codes = first_codes_.to_host();
    host.second_codes = second_codes_.to_host();
    host.scales = scales_.to_host();
    return host;
  }

 private:
  std::int64_t vectors_, length_;
  DeviceBuffer<float> parameters_, gradients_;
  DeviceBuffer<std::uint8_t> first_codes_, second_codes_;
  DeviceBuffer<MomentScales> scales_;
};

template <class T>
bool same_bytes(const std::vector<T>& one, const std::vector<T>& other) {
  return one.size() == other.size() &&
         std::memcmp(one.data(), other.data(), one.size() * sizeof(T)) == 0;
}

bool same_moments(const CodedAdamOnHost& one, const CodedAdamOnHost& other) {
  return one.first_codes == other.first_codes && one.second_codes == other.second_codes &&
         same_bytes(one.scales, other.scales);
}

void expect_same(const CodedAdamOnHost& found, const CodedAdamOnHost& expected,
                 const std::string& what) {
  EXPECT_TRUE(same_moments(found, expected)) << what;
  EXPECT_TRUE(same_bytes(found.parameters, expected.parameters)) << what;
}

// How far a parameter may be from the reference's: what coded_adam.hpp says of the step's change, and
// a unit in the last place.
double bound(float before, float after) {
  return std::ldexp(std::abs(after - before), -20) +
         std::ldexp(std::max(std::abs(before), std::abs(after)), -23);
}

// A state with a past of three steps.
CodedAdamOnHost with_past(std::int64_t vectors, std::int64_t length) {
  CodedAdamOnHost host(vectors, length, 1);
  for (std::int64_t step = 1; step <= 3; ++step) {
    host.set_gradients(static_cast<std::uint64_t>(step));
    EXPECT_TRUE(coded_adam_reference(host.call(coded_settings(step))).ok());
  }
  return host;
}

class CodedAdamGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(CodedAdamGpu, EqualsTheReference) {
  const Stream stream;
  for (const std::int64_t length : {8, 248, 256, 264, 768})
    for (const std::int64_t vectors : {1, 7, 301}) {
      CodedAdamOnHost host(vectors, length, 1);
      for (std::int64_t step = 1; step <= 4; ++step) {
        host.set_gradients(static_cast<std::uint64_t>(step), 6);
        if (step == 3) std::fill(host.gradients.begin(), host.gradients.begin() + length, 0.0F);
        const CodedAdamOnDevice device(host);
        const std::vector<float> before = host.parameters;
        AdamSettings settings = coded_settings(step);
        settings.weight_decay = step == 2 ? 0.1 : 0;
        settings.decay = WeightDecay::decoupled;
        EXPECT_EQ(coded_adam(device.call(settings), stream.get()).message(), "");
        stream.synchronize();
        ASSERT_TRUE(coded_adam_reference(host.call(settings)).ok());
        const CodedAdamOnHost found = device.now();
        EXPECT_TRUE(same_moments(found, host)) << vectors << " x " << length << ", " << step;
        for (std::size_t i = 0; i < before.size(); ++i)
          ASSERT_NEAR(found.parameters[i], host.parameters[i], bound(before[i], host.parameters[i]))
              << i;
      }
    }
}

CodedAdamDecoder decoder_call(const DecoderOnDevice& decoder, const SparseDecoderShape& shape,
                              const CodedAdamOnDevice& adam, const AdamSettings& settings) {
  const SparseDecoderWeightGradient gradient = decoder.weight_gradient();
  return {adam.state(), shape, gradient.by_feature, gradient.output_gradients, settings};
}

constexpr SparseDecoderShape kCodedShapes[] = {
    {3, 20, 64, 33}, {2, 15, 264, 17}, {1, 9, 8, 70}, {5, 7, 520, 9}, {2, 50, 768, 40}};

// The first token activates every feature: of these, `dropped` are not.
DecoderCase coded_case_without(const SparseDecoderShape& shape, std::int64_t dropped) {
  DecoderCase made = made_case(shape, 0.0);
  for (std::int64_t& offset : made.active.offsets)
    offset = std::max<std::int64_t>(offset - dropped, 0);
  made.active.columns.erase(made.active.columns.begin(), made.active.columns.begin() + dropped);
  made.active.values.resize(made.active.columns.size());
  return made;
}

TEST_F(CodedAdamGpu, ADecodersUpdateIsThatOfItsGradient) {
  const Stream stream;
  for (const SparseDecoderShape& shape : kCodedShapes)
    for (const KeyType rows : {KeyType::bfloat16, KeyType::float32}) {
      const DecoderCase made = made_case(shape, 0.1);  // each feature is active
      const DecoderOnDevice decoder(made, {KeyType::bfloat16, rows});
      const CodedAdamOnHost before = with_past(shape.weights() / shape.model, shape.model);
      const CodedAdamOnDevice fused(before), apart(before);
      const AdamSettings settings = coded_settings(4);
      EXPECT_EQ(
          coded_adam_decoder(decoder_call(decoder, shape, fused, settings), stream.get()).message(),
          "");
      const SparseDecoderWeightGradient gradient = decoder.weight_gradient();
      EXPECT_EQ(sparse_decoder_weight_gradient(gradient, stream.get()).message(), "");
      CodedAdam dense = apart.call(settings);
      dense.gradients = static_cast<const float*>(gradient.gradients);
      EXPECT_EQ(coded_adam(dense, stream.get()).message(), "");
      stream.synchronize();
      expect_same(fused.now(), apart.now(), std::to_string(shape.model));
    }
}

TEST_F(CodedAdamGpu, SilentFeaturesKeepTheirCodesAndTheirScalesDecay) {
  const Stream stream;
  for (const SparseDecoderShape& shape : kCodedShapes) {
    const DecoderCase made = coded_case_without(shape, shape.columns());
    const DecoderOnDevice decoder(made, {});
    const CodedAdamOnHost before = with_past(shape.weights() / shape.model, shape.model);
    CodedAdamOnHost expected = before;
    const CodedAdamOnDevice device(before);
    const AdamSettings settings = coded_settings(4);
    CodedAdamDecoder call = decoder_call(decoder, shape, device, settings);
    call.output_gradients = {};
    call.by_feature.values = nullptr;
    EXPECT_EQ(silent_coded_adam_decoder(call, stream.get()).message(), "");
    stream.synchronize();
    std::fill(expected.gradients.begin(), expected.gradients.end(), 0.0F);
    ASSERT_TRUE(coded_adam_reference(expected.call(settings)).ok());
    const CodedAdamOnHost found = device.now();
    const AdamFactors factors = adam_factors(settings, 4);
    const std::int64_t blocks = coded_blocks(shape.model), features = shape.columns();
    std::vector<bool> silent(before.scales.size(), true);
    const ListByFeature list = by_feature(shape, made.active);
    for (std::int64_t line = 0; line < features; ++line) {
      const auto at = static_cast<std::size_t>(line);
      if (list.offsets[at] == list.offsets[at + 1]) continue;
      const std::int64_t source = line / shape.features;
      for (std::int64_t target = source; target < shape.layers; ++target)
        for (std::int64_t block = 0; block < blocks; ++block)
          silent[static_cast<std::size_t>(
              shape.vector(source, line % shape.features, target) * blocks + block)] = false;
    }
    std::size_t some_silent = 0;
    for (std::size_t block = 0; block < before.scales.size(); ++block) {
      if (silent[block]) ++some_silent;
      const MomentScales wanted =
          silent[block] ? decayed(before.scales[block], 1 - factors.to_first, factors.beta2)
                        : before.scales[block];
      EXPECT_EQ(found.scales[block].first, wanted.first) << block;
      EXPECT_EQ(found.scales[block].second, wanted.second) << block;
    }
    EXPECT_GT(some_silent, 0U);
    EXPECT_EQ(found.first_codes, before.first_codes);
    EXPECT_EQ(found.second_codes, before.second_codes);
    for (std::size_t i = 0; i < before.parameters.size(); ++i) {
      const auto vector = static_cast<std::int64_t>(i) / shape.model;
      const std::int64_t column = static_cast<std::int64_t>(i) % shape.model;
      const auto block = static_cast<std::size_t>(vector * blocks + column / kCodedBlock);
      const float wanted = silent[block] ? expected.parameters[i] : before.parameters[i];
      ASSERT_NEAR(found.parameters[i], wanted,
                  silent[block] ? bound(before.parameters[i], wanted) : 0)
          << i;
    }
  }
}

TEST_F(CodedAdamGpu, SilentFeaturesThenTheOthersAreTheWholeToTheBit) {
  const Stream stream;
  for (const SparseDecoderShape& shape : kCodedShapes) {
    const DecoderCase made = coded_case_without(shape, shape.columns() - shape.columns() / 3);
    const DecoderOnDevice decoder(made, {});
    const CodedAdamOnHost before = with_past(shape.weights() / shape.model, shape.model);
    const CodedAdamOnDevice whole(before), apart(before);
    const AdamSettings settings = coded_settings(4);
    EXPECT_EQ(
        coded_adam_decoder(decoder_call(decoder, shape, whole, settings), stream.get()).message(),
        "");
    const CodedAdamDecoder call = decoder_call(decoder, shape, apart, settings);
    EXPECT_EQ(active_coded_adam_decoder(call, stream.get()).message(), "");
    EXPECT_EQ(silent_coded_adam_decoder(call, stream.get()).message(), "");
    stream.synchronize();
    expect_same(apart.now(), whole.now(), std::to_string(shape.model));
  }
}

TEST_F(CodedAdamGpu, GivesTheSameBitsOnEveryRun) {
  const Stream stream;
  const DecoderCase made = made_case({3, 60, 264, 70}, 0.2);
  const DecoderOnDevice decoder(made, {});
  const CodedAdamOnHost before = with_past(made.shape.weights() / 264, 264);
  const CodedAdamOnDevice first(before);
  const DeviceBuffer<std::int64_t> step(std::vector<std::int64_t>{4});
  AdamSettings settings = coded_settings(4);
  for (int repeat = 0; repeat < 4; ++repeat) {
    const CodedAdamOnDevice again(before);
    const CodedAdamOnDevice& adam = repeat == 0 ? first : again;
    settings.device_step = repeat % 2 == 0 ? nullptr : step.data();
    CodedAdamDecoder call = decoder_call(decoder, made.shape, adam, settings);
    call.order = repeat < 2 ? FeatureOrder::by_target : FeatureOrder::in_memory;
    EXPECT_EQ(coded_adam_decoder(call, stream.get()).message(), "");
    stream.synchronize();
    expect_same(adam.now(), first.now(), std::to_string(repeat));
  }
}

}  // namespace
}  // namespace stepscope::kernels
