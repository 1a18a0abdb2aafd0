// SPDX-License-Identifier: Apache-2.0
// The kernels against their references: codes of given numbers have the same bits; those of SwiGLU,
// which a GPU computes in float, may be a neighbour's. Memory behind each output stays as it was.
#include <gtest/gtest.h>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/stream.hpp"
#include "tests/kernels/fp8/fp8_numbers.hpp"
#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {
namespace {

constexpr std::size_t kGuard = 256;
constexpr std::uint8_t kUntouched = 0xa5;

struct Sides {
  std::int64_t rows, columns;
};
// Less than a tile, whole tiles, and both with rests; long and narrow.
constexpr Sides kSides[] = {{16, 16},   {128, 128}, {144, 272},  {256, 768},
                            {32, 2064}, {2064, 32}, {1040, 528}, {16, 4096}};

// A call's codes on both sides.
class BothCodes {
 public:
  BothCodes(std::size_t count, Fp8Format format, float scale)
      : format_(format),
        host_codes_(count),
        host_transposed_(count),
        host_scale_(scale),
        codes_(count + kGuard),
        transposed_(count + kGuard),
        scalars_(std::vector<float>{scale, 0}) {
    codes_.fill_bytes(kUntouched);
    transposed_.fill_bytes(kUntouched);
  }

  Fp8Codes on_host() {
    return {format_, &host_scale_, host_codes_.data(), host_transposed_.data(), &host_amax_};
  }
  Fp8Codes on_device() const {
    return {format_, scalars_.data(), codes_.data(), transposed_.data(), scalars_.data() + 1};
  }

  // At most so many codes may be a neighbour's.
  void expect_equal(double neighbours) const {
    expect_equal(codes_.to_host(), host_codes_, neighbours, "codes");
    expect_equal(transposed_.to_host(), host_transposed_, neighbours, "transposed");
    const float amax = scalars_.to_host()[1];
    if (neighbours == 0) {
      EXPECT_EQ(bits_of(amax), bits_of(host_amax_)) << amax << " " << host_amax_;
    } else {
      EXPECT_NEAR(amax, host_amax_, 1e-4 * host_amax_);
    }
  }

  void expect_codes_alone() const {
    EXPECT_NE(codes_.to_host().front(), kUntouched);
    for (const std::uint8_t code : transposed_.to_host()) ASSERT_EQ(code, kUntouched);
    EXPECT_EQ(scalars_.to_host()[1], 0);
  }

 private:
  void expect_equal(const std::vector<std::uint8_t>& device, const std::vector<std::uint8_t>& host,
                    double neighbours, const char* what) const {
    std::size_t moved = 0, wrong = 0;
    for (std::size_t i = 0; i < host.size(); ++i) {
      const int apart =
          std::abs(place_of_code(format_, device[i]) - place_of_code(format_, host[i]));
      moved += apart == 1 ? 1U : 0U;
      if (apart > 1 && ++wrong < 5)
        ADD_FAILURE() << what << " " << i << ": " << int{device[i]} << ", not " << int{host[i]};
    }
    EXPECT_EQ(wrong, 0U) << what;
    EXPECT_LE(static_cast<double>(moved), neighbours * static_cast<double>(host.size())) << what;
    for (std::size_t i = host.size(); i < device.size(); ++i)
      ASSERT_EQ(device[i], kUntouched) << what << " beyond its end";
  }

  const Fp8Format format_;
  std::vector<std::uint8_t> host_codes_, host_transposed_;
  float host_scale_, host_amax_ = 0;
  const DeviceBuffer<std::uint8_t> codes_, transposed_;
  const DeviceBuffer<float> scalars_;  // scale, amax
};

// Numbers in both types on the device.
class DeviceNumbers {
 public:
  explicit DeviceNumbers(const std::vector<float>& numbers)
      : host_(numbers), narrow_host_(narrowed(numbers)), wide_(numbers), narrow_(narrow_host_) {}
  const void* device(KeyType type) const {
    return type == KeyType::float32 ? static_cast<const void*>(wide_.data()) : narrow_.data();
  }
  const void* host(KeyType type) const {
    return type == KeyType::float32 ? static_cast<const void*>(host_.data()) : narrow_host_.data();
  }

 private:
  const std::vector<float> host_;
  const std::vector<Bfloat16> narrow_host_;
  const DeviceBuffer<float> wide_;
  const DeviceBuffer<Bfloat16> narrow_;
};

class Fp8Gpu : public testing::TestWithParam<std::tuple<KeyType, Fp8Format>> {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
  KeyType type() const { return std::get<0>(GetParam()); }
  Fp8Format format() const { return std::get<1>(GetParam()); }
};

TEST_P(Fp8Gpu, CodesHaveTheBitsOfTheReference) {
  const Stream stream;
  for (const Sides& sides : kSides) {
    SCOPED_TRACE(std::to_string(sides.rows) + "x" + std::to_string(sides.columns));
    const auto count = static_cast<std::size_t>(sides.rows * sides.columns);
    for (const bool rare : {false, true}) {
      const DeviceNumbers numbers(rare ? rare_numbers(count, count) : fp8_numbers(count, count));
      BothCodes both(count, format(), rare ? 1.0F : 256.0F);
      Fp8Quantise call{type(), sides.rows, sides.columns, numbers.host(type()), both.on_host()};
      ASSERT_EQ(fp8_quantise_reference(call).message(), "");
      call.from = numbers.device(type());
      call.to = both.on_device();
      ASSERT_EQ(fp8_quantise(call, stream.get()).message(), "");
      stream.synchronize();
      both.expect_equal(0);
    }
  }
}

TEST_P(Fp8Gpu, WhatIsNotAskedForIsNotWritten) {
  const Stream stream;
  const DeviceNumbers numbers(fp8_numbers(160 * 48, 1));
  BothCodes both(160 * 48, format(), 1);
  Fp8Quantise call{type(), 160, 48, numbers.device(type()), both.on_device()};
  call.to.transposed = nullptr;
  call.to.amax = nullptr;
  ASSERT_EQ(fp8_quantise(call, stream.get()).message(), "");
  call.rows = 0;
  call.from = nullptr;
  ASSERT_EQ(fp8_quantise(call, stream.get()).message(), "") << "nothing to do";
  stream.synchronize();
  both.expect_codes_alone();
}

TEST_P(Fp8Gpu, SwigluAndItsGradientAreTheReferencesOrTheirNeighbours) {
  const Stream stream;
  for (const Sides& sides : kSides) {
    SCOPED_TRACE(std::to_string(sides.rows) + "x" + std::to_string(sides.columns));
    const auto count = static_cast<std::size_t>(sides.rows * sides.columns);
    const DeviceNumbers packed(fp8_numbers(2 * count, count, 4)),
        through(fp8_numbers(count, count + 1));
    BothCodes out(count, format(), 16), gradient(2 * count, format(), 64);
    Fp8Swiglu call{type(), sides.rows, sides.columns, packed.host(type()), out.on_host()};
    ASSERT_EQ(fp8_swiglu_reference(call).message(), "");
    call.packed = packed.device(type());
    call.to = out.on_device();
    ASSERT_EQ(fp8_swiglu(call, stream.get()).message(), "");
    Fp8SwigluGradient back{type(),
                           sides.rows,
                           sides.columns,
                           packed.host(type()),
                           through.host(type()),
                           gradient.on_host()};
    ASSERT_EQ(fp8_swiglu_gradient_reference(back).message(), "");
    back.packed = packed.device(type());
    back.out_gradient = through.device(type());
    back.to = gradient.on_device();
    ASSERT_EQ(fp8_swiglu_gradient(back, stream.get()).message(), "");
    stream.synchronize();
    out.expect_equal(0.01);
    gradient.expect_equal(0.01);
  }
}

TEST_P(Fp8Gpu, TheGradientOfCrossEntropyIsTheReferencesOrItsNeighbour) {
  const Stream stream;
  for (const Sides& sides : kSides) {
    SCOPED_TRACE(std::to_string(sides.rows) + "x" + std::to_string(sides.columns));
    const auto count = static_cast<std::size_t>(sides.rows * sides.columns);
    const std::vector<float> numbers = fp8_numbers(count, count, 6);
    std::vector<std::int64_t> targets;
    std::vector<float> losses;
    for (std::int64_t row = 0; row < sides.rows; ++row) {
      targets.push_back(row * 31 % sides.columns);
      double sum = 0;
      const float* first = numbers.data() + row * sides.columns;
      for (std::int64_t i = 0; i < sides.columns; ++i) sum += std::exp(double{first[i]});
      losses.push_back(static_cast<float>(std::log(sum) - first[targets.back()]));
    }
    const DeviceNumbers logits(numbers);
    const DeviceBuffer<std::int64_t> targets_there(targets);
    const DeviceBuffer<float> losses_there(losses);
    BothCodes both(count, format(), fp8_scale(1, layout_of(format()).greatest));
    Fp8CrossEntropyGradient call{type(),         sides.rows,    sides.columns, logits.host(type()),
                                 targets.data(), losses.data(), both.on_host()};
    ASSERT_EQ(fp8_cross_entropy_gradient_reference(call).message(), "");
    call.logits = logits.device(type());
    call.targets = targets_there.data();
    call.losses = losses_there.data();
    call.to = both.on_device();
    ASSERT_EQ(fp8_cross_entropy_gradient(call, stream.get()).message(), "");
    stream.synchronize();
    both.expect_equal(0.01);
  }
}

TEST_P(Fp8Gpu, AmaxIsTheGreatestMagnitude) {
  const Stream stream;
  for (const std::size_t count : {8U, 2048U, 2056U, 3'000'008U}) {
    SCOPED_TRACE(count);
    std::vector<float> numbers = fp8_numbers(count, count);
    numbers[count - 3] = -3.5F;
    const DeviceNumbers there(numbers);
    const DeviceBuffer<float> amax(std::vector<float>{1.0F});
    ASSERT_EQ(fp8_amax({type(), 0, nullptr, amax.data()}, stream.get()).message(), "");
    stream.synchronize();
    EXPECT_EQ(amax.to_host()[0], 1.0F) << "of an empty tensor";
    const auto size = static_cast<std::int64_t>(count);
    ASSERT_EQ(fp8_amax({type(), size, there.device(type()), amax.data()}, stream.get()).message(),
              "");
    stream.synchronize();
    EXPECT_EQ(amax.to_host()[0], 3.5F);
    numbers[count / 2] = std::nanf("");
    const DeviceNumbers with_none(numbers);
    ASSERT_EQ(
        fp8_amax({type(), size, with_none.device(type()), amax.data()}, stream.get()).message(),
        "");
    stream.synchronize();
    EXPECT_TRUE(std::isnan(amax.to_host()[0]));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Fp8Gpu,
                         testing::Combine(testing::Values(KeyType::float32, KeyType::bfloat16),
                                          testing::Values(Fp8Format::e4m3, Fp8Format::e5m2)),
                         [](const auto& type) {
                           return std::string(std::get<0>(type.param) == KeyType::float32
                                                  ? "float32"
                                                  : "bfloat16") +
                                  (std::get<1>(type.param) == Fp8Format::e4m3 ? "_e4m3" : "_e5m2");
                         });

TEST(Fp8ScalesGpu, HaveTheBitsOfTheReference) {
  if (!gpu_found()) GTEST_SKIP() << "no GPU";
  const Stream stream;
  constexpr std::size_t kTensors = 300;
  for (const std::int64_t length : {0, 1, 16}) {
    SCOPED_TRACE(length);
    std::vector<float> greatest(kTensors, 448), amax(kTensors), scale(kTensors), inverse(kTensors);
    for (std::size_t i = 0; i < kTensors; i += 2) greatest[i] = 57344;
    std::vector<float> history(static_cast<std::size_t>(length) * kTensors);
    const DeviceBuffer<float> greatest_there(greatest), amax_there(kTensors),
        history_there(history), scale_there(kTensors), inverse_there(kTensors);
    for (std::uint64_t step = 0; step < 20; ++step) {
      amax = rare_numbers(kTensors, step);
      for (float& number : amax) number = std::fabs(number);
      amax_there.put(amax);
      const auto tensors = static_cast<std::int64_t>(kTensors);
      ASSERT_TRUE(fp8_update_scales_reference({tensors, length, greatest.data(), amax.data(),
                                               history.data(), scale.data(), inverse.data()})
                      .ok());
      ASSERT_EQ(fp8_update_scales({tensors, length, greatest_there.data(), amax_there.data(),
                                   history_there.data(), scale_there.data(), inverse_there.data()},
                                  stream.get())
                    .message(),
                "");
      stream.synchronize();
      EXPECT_EQ(scale_there.to_host(), scale);
      EXPECT_EQ(inverse_there.to_host(), inverse);
      EXPECT_EQ(history_there.to_host(), history);
      EXPECT_EQ(amax_there.to_host(), amax);
    }
  }
}

}  // namespace
}  // namespace stepscope::kernels
