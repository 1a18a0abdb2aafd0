// SPDX-License-Identifier: Apache-2.0
// A sparse decoder's update: the bits of its gradient written out and dense Adam, and within what
// fp32 may round of the reference.
#include "tests/kernels/fused_adam/adam_on_device.hpp"
#include "tests/kernels/sparse_decoder/decoder_on_device.hpp"
#include "tests/kernels/sparse_decoder/rounding_bound.hpp"

namespace stepscope::kernels {
namespace {

class FusedAdamDecoderGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
  static FusedAdamDecoder call_for(const DecoderOnDevice& decoder, const SparseDecoderShape& shape,
                                   const AdamOnDevice& adam, const AdamSettings& settings) {
    const SparseDecoderWeightGradient gradient = decoder.weight_gradient();
    return {adam.state(), shape, gradient.by_feature, gradient.output_gradients, settings};
  }
};

constexpr SparseDecoderShape kShapes[] = {
    {3, 20, 64, 33}, {2, 15, 264, 17}, {1, 9, 8, 70}, {5, 7, 520, 9}};

TEST_F(FusedAdamDecoderGpu, EqualsGradientThenAdamToTheBit) {
  const Stream stream;
  Turns turns;
  for (const SparseDecoderShape& shape : kShapes)
    for (const KeyType rows : {KeyType::bfloat16, KeyType::float32}) {
      const DecoderCase made = made_case(shape, 0.1);
      const DecoderOnDevice decoder(made, {KeyType::bfloat16, rows});
      const HostAdamState before = made_state(made.weights.size());
      for (const AdamSettings& settings : turns.one_of(settings_to_test())) {
        const AdamOnDevice fused(before);
        const AdamOnDevice apart(before);
        EXPECT_EQ(
            fused_adam_decoder(call_for(decoder, shape, fused, settings), stream.get()).message(),
            "");
        const SparseDecoderWeightGradient gradient = decoder.weight_gradient();
        EXPECT_EQ(sparse_decoder_weight_gradient(gradient, stream.get()).message(), "");
        FusedAdam dense{apart.state(), shape.weights(), gradient.gradients};
        dense.settings = settings;
        EXPECT_EQ(fused_adam(dense, stream.get()).message(), "");
        stream.synchronize();
        EXPECT_TRUE(fused.same_bits(apart)) << shape.model << ", step " << settings.step;
      }
    }
}

// The first token activates every feature: of these, `dropped` are not.
DecoderCase case_without(const SparseDecoderShape& shape, std::int64_t dropped) {
  DecoderCase made = made_case(shape, 0.0);
  for (std::int64_t& offset : made.active.offsets)
    offset = std::max<std::int64_t>(offset - dropped, 0);
  made.active.columns.erase(made.active.columns.begin(), made.active.columns.begin() + dropped);
  made.active.values.resize(made.active.columns.size());
  return made;
}

TEST_F(FusedAdamDecoderGpu, EqualsTheReferenceExactAndLazy) {
  const Stream stream;
  Turns turns;
  for (const SparseDecoderShape& shape : kShapes) {
    const DecoderCase made = case_without(shape, shape.columns());  // most have no gradient
    const DecoderOnDevice decoder(made, {});
    const HostAdamState before = made_state(made.weights.size());
    const std::vector<double> gradients =
        weight_gradient_reference(shape, made.active, made.output_gradients);
    const DecoderCase sizes = magnitudes(made);
    std::vector<double> errors =
        weight_gradient_reference(shape, sizes.active, sizes.output_gradients);
    std::vector<std::uint8_t> reached;
    for (double& error : errors) {
      reached.push_back(error > 0 ? 1 : 0);
      error = RoundingBound{static_cast<double>(shape.tokens)}.of(0, error);
    }
    for (const AdamSettings& settings : turns.of(settings_to_test(), 4))
      for (const bool lazy : {false, true}) {
        const AdamOnDevice adam(before);
        const FusedAdamDecoder call = call_for(decoder, shape, adam, settings);
        const Status status =
            lazy ? lazy_adam_decoder(call, stream.get()) : fused_adam_decoder(call, stream.get());
        EXPECT_EQ(status.message(), "");
        stream.synchronize();
        expect_step(adam, before, gradients, settings, lazy ? "lazy" : "exact",
                    lazy ? reached : std::vector<std::uint8_t>{}, errors);
      }
  }
}

TEST_F(FusedAdamDecoderGpu, SilentFeaturesThenTheOthersAreTheWholeToTheBit) {
  const Stream stream;
  Turns turns;
  for (const SparseDecoderShape& shape : kShapes) {
    const DecoderCase made = case_without(shape, shape.columns() - shape.columns() / 3);
    const DecoderOnDevice decoder(made, {});
    const HostAdamState before = made_state(made.weights.size());
    for (const AdamSettings& settings : turns.of(settings_to_test(), 4)) {
      const AdamOnDevice whole(before);
      const AdamOnDevice apart(before);
      FusedAdamDecoder call = call_for(decoder, shape, apart, settings);
      EXPECT_EQ(
          fused_adam_decoder(call_for(decoder, shape, whole, settings), stream.get()).message(),
          "");
      EXPECT_EQ(lazy_adam_decoder(call, stream.get()).message(), "");
      call.output_gradients = {};
      call.by_feature.values = nullptr;
      EXPECT_EQ(silent_adam_decoder(call, stream.get()).message(), "");
      stream.synchronize();
      EXPECT_TRUE(apart.same_bits(whole)) << shape.model << ", step " << settings.step;
    }
  }
}

TEST_F(FusedAdamDecoderGpu, GivesTheSameBitsOnEveryRun) {
  const Stream stream;
  const DecoderCase made = made_case({3, 60, 264, 70}, 0.2);
  const DecoderOnDevice decoder(made, {});
  const HostAdamState before = made_state(made.weights.size());
  const AdamOnDevice first(before);
  const DeviceBuffer<std::int64_t> step(std::vector<std::int64_t>{3});
  AdamSettings settings;
  settings.step = 3;
  for (int repeat = 0; repeat < 4; ++repeat) {
    const AdamOnDevice again(before);
    const AdamOnDevice& adam = repeat == 0 ? first : again;
    settings.device_step = repeat % 2 == 0 ? nullptr : step.data();
    FusedAdamDecoder call = call_for(decoder, made.shape, adam, settings);
    call.order = repeat < 2 ? FeatureOrder::by_target : FeatureOrder::in_memory;
    EXPECT_EQ(fused_adam_decoder(call, stream.get()).message(), "");
    stream.synchronize();
    EXPECT_TRUE(adam.same_bits(first)) << repeat;
  }
}

}  // namespace
}  // namespace stepscope::kernels
