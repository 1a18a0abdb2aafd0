// SPDX-License-Identifier: Apache-2.0
// The kernel against the reference, each step from the same state: the same but for where a sum's
// rounding takes a code to its neighbour.
#include <gtest/gtest.h>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/stream.hpp"
#include "tests/kernels/adamw_8bit/made_adamw_8bit.hpp"
#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {
namespace {

void expect_near(const std::vector<float>& device, const std::vector<float>& host, double tolerance,
                 const char* what) {
  ASSERT_EQ(device.size(), host.size());
  for (std::size_t i = 0; i < host.size(); ++i)
    EXPECT_NEAR(device[i], host[i], tolerance * (1e-3 + std::abs(host[i]))) << what << " " << i;
}

void expect_codes(const std::vector<std::uint8_t>& device, const std::vector<std::uint8_t>& host) {
  ASSERT_EQ(device.size(), host.size());
  std::size_t moved = 0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    EXPECT_LE(std::abs(device[i] - host[i]), 1) << i;
    if (device[i] != host[i]) ++moved;
  }
  EXPECT_LE(moved, 1 + host.size() / 100);
}

class Adamw8BitGpu : public testing::TestWithParam<KeyType> {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
};

TEST_P(Adamw8BitGpu, EqualsTheReference) {
  const Stream stream;
  for (const std::size_t count : {1U, 255U, 256U, 257U, 4096U, 100'003U}) {
    SCOPED_TRACE(count);
    Adamw8BitOnHost host(count, count);
    const DeviceBuffer<float> parameters(host.parameters), tables(host.tables),
        mean_scales(host.mean_scales), square_scales(host.square_scales), scalars(3);
    const DeviceBuffer<std::uint8_t> mean_codes(host.mean_codes), square_codes(host.square_codes);
    const DeviceBuffer<Bfloat16> copy(count);
    for (int step = 1; step <= 4; ++step) {
      host.set_gradients(10 + static_cast<std::uint64_t>(step));
      host.step = static_cast<float>(step), host.divisor = step == 2 ? 3.0F : 1.0F;
      const DeviceBuffer<float> wide(host.gradients);
      const DeviceBuffer<Bfloat16> narrow(host.narrow_gradients);
      scalars.put({host.rate, host.step, host.divisor});
      parameters.put(host.parameters);
      mean_scales.put(host.mean_scales), square_scales.put(host.square_scales);
      mean_codes.put(host.mean_codes), square_codes.put(host.square_codes);
      Adamw8Bit call = host.call(GetParam());
      ASSERT_TRUE(adamw_8bit_reference(call).ok());
      call.parameters = parameters.data(), call.copy = copy.data();
      call.gradients =
          GetParam() == KeyType::bfloat16 ? static_cast<const void*>(narrow.data()) : wide.data();
      call.mean_codes = mean_codes.data(), call.square_codes = square_codes.data();
      call.mean_scales = mean_scales.data(), call.square_scales = square_scales.data();
      call.tables = tables.data();
      call.rate = scalars.data(), call.step = scalars.data() + 1;
      call.divisor = scalars.data() + 2;
      EXPECT_EQ(adamw_8bit(call, stream.get()).message(), "");
      stream.synchronize();
      expect_near(parameters.to_host(), host.parameters, 2e-3, "parameter");
      expect_near(mean_scales.to_host(), host.mean_scales, 1e-5, "mean's scale");
      expect_near(square_scales.to_host(), host.square_scales, 1e-5, "square's scale");
      expect_codes(mean_codes.to_host(), host.mean_codes);
      expect_codes(square_codes.to_host(), host.square_codes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gradients, Adamw8BitGpu,
                         testing::Values(KeyType::float32, KeyType::bfloat16),
                         [](const auto& type) {
                           return type.param == KeyType::float32 ? "float32" : "bfloat16";
                         });

}  // namespace
}  // namespace stepscope::kernels
