// SPDX-License-Identifier: Apache-2.0
// Dense masks against the reference, bit for bit, into memory filled with rubbish.
#include "kernels/bitmask/bitmask_reference.hpp"
#include "kernels/common/stream.hpp"
#include "tests/kernels/bitmask/mask_cases.hpp"

namespace stepscope::kernels {
namespace {

TEST_P(BitmaskGpu, DenseMasksAreThoseOfTheReference) {
  const Stream stream;
  for (const Shape& shape : turn_of(kShapes)) {
    const std::vector<std::uint32_t> words = words_for(shape);
    const DeviceBuffer<std::uint32_t> on_device(words);
    const Bitmask host{words.data(), shape.rows, shape.columns};
    const Bitmask mask{on_device.data(), shape.rows, shape.columns};
    const std::int64_t entries = shape.rows * shape.columns;
    const std::vector<std::uint8_t> expected = bitmask_bytes_reference(host);
    const DeviceBuffer<std::uint8_t> bytes = poisoned<std::uint8_t>(entries);
    EXPECT_EQ(bitmask_to_bytes(mask, bytes.data(), stream.get()).message(), "");

    std::vector<std::uint16_t> keys(static_cast<std::size_t>(entries));
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = static_cast<std::uint16_t>(i * 7919 + 1);
    const DeviceBuffer<std::uint16_t> keys_on_device(keys);
    const DeviceBuffer<std::uint16_t> kept = poisoned<std::uint16_t>(entries);
    EXPECT_EQ(
        bitmask_keep(mask, KeyType::bfloat16, keys_on_device.data(), kept.data(), stream.get())
            .message(),
        "");
    std::vector<std::uint32_t> wide(keys.begin(), keys.end());
    const DeviceBuffer<std::uint32_t> in_place(wide);
    EXPECT_EQ(bitmask_keep(mask, KeyType::float32, in_place.data(), in_place.data(), stream.get())
                  .message(),
              "");
    stream.synchronize();
    EXPECT_EQ(bytes.to_host(), expected) << shape.rows << " x " << shape.columns;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (expected[i] == 0) keys[i] = 0, wide[i] = 0;
    EXPECT_EQ(kept.to_host(), keys) << shape.rows << " x " << shape.columns;
    EXPECT_EQ(in_place.to_host(), wide) << shape.rows << " x " << shape.columns;
  }
}

INSTANTIATE_TEST_SUITE_P(Shares, BitmaskGpu,
                         testing::Values(Share{0.0, 0}, Share{0.004, 1}, Share{0.3, 0},
                                         Share{1.0, 1}));

}  // namespace
}  // namespace stepscope::kernels
