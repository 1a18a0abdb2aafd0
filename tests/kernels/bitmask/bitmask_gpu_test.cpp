// SPDX-License-Identifier: Apache-2.0
// The outputs against the reference, bit for bit, into memory filled with rubbish.
#include <gtest/gtest.h>

#include <random>

#include "kernels/bitmask/bitmask_reference.hpp"
#include "kernels/common/device_buffer.hpp"
#include "kernels/common/stream.hpp"
#include "tests/kernels/support/gpu_found.hpp"
#include "tests/kernels/support/small_shapes.hpp"

namespace stepscope::kernels {
namespace {

struct Shape {
  std::int64_t rows, columns;
};
const std::vector<Shape> kShapes = {{1, 1},     {1, 32},   {3, 33},    {40, 1000},
                                    {64, 512},  {5, 4096}, {5000, 40}, {33, 257},
                                    {70, 5024}, {1, 9000}, {9000, 1}};

struct Share {
  double set;  // of all bits
  std::size_t turn;
};

class BitmaskGpu : public testing::TestWithParam<Share> {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }

  // Of small shapes half, the others with another share.
  static std::vector<Shape> shapes() { return Turns(GetParam().turn).of(kShapes, 2); }

  // Words with bits at random; the share of them set.
  std::vector<std::uint32_t> words_for(const Shape& shape) const {
    std::mt19937 random(7);
    std::bernoulli_distribution set(GetParam().set);
    const std::int64_t per_row = mask_words_per_row(shape.columns);
    std::vector<std::uint32_t> words(static_cast<std::size_t>(shape.rows * per_row));
    for (std::int64_t row = 0; row < shape.rows; ++row)
      for (std::int64_t column = 0; column < shape.columns; ++column)
        if (set(random))
          words[static_cast<std::size_t>(row * per_row + column / 32)] |= 1U << (column % 32);
    return words;
  }
};

template <class T>
DeviceBuffer<T> poisoned(std::int64_t size) {
  DeviceBuffer<T> buffer(static_cast<std::size_t>(size));
  buffer.fill_bytes(0xa5);
  return buffer;
}

TEST_P(BitmaskGpu, DenseMasksAreThoseOfTheReference) {
  const Stream stream;
  for (const Shape& shape : shapes()) {
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

TEST_P(BitmaskGpu, ListsAndCountsAreThoseOfTheReference) {
  const Stream stream;
  for (const Shape& shape : shapes())
    for (const BitmaskLines lines : {BitmaskLines::rows, BitmaskLines::columns}) {
      const std::string what = std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
                               (lines == BitmaskLines::rows ? " by rows" : " by columns");
      const std::vector<std::uint32_t> words = words_for(shape);
      const DeviceBuffer<std::uint32_t> on_device(words);
      const ExpectedList expected =
          bitmask_list_reference({words.data(), shape.rows, shape.columns}, lines);
      const Bitmask mask{on_device.data(), shape.rows, shape.columns};
      const std::int64_t count = lines == BitmaskLines::rows ? shape.rows : shape.columns;
      const auto found = static_cast<std::int64_t>(expected.indices.size());

      std::vector<float> keys(static_cast<std::size_t>(shape.rows * shape.columns));
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<float>(i);
      const DeviceBuffer<float> keys_on_device(keys);
      const DeviceBuffer<std::int64_t> offsets = poisoned<std::int64_t>(count + 1);
      // One less than there are, and room that must be left alone.
      const std::int64_t capacity = std::max<std::int64_t>(found - 1, 0);
      const DeviceBuffer<std::int32_t> indices = poisoned<std::int32_t>(found + 8);
      const DeviceBuffer<float> values = poisoned<float>(found + 8);
      const DeviceBuffer<std::byte> workspace =
          poisoned<std::byte>(static_cast<std::int64_t>(bitmask_list_workspace_bytes(mask, lines)));
      BitmaskList list;
      list.lines = lines;
      list.offsets = offsets.data();
      list.indices = indices.data();
      list.capacity = capacity;
      list.keys = keys_on_device.data();
      list.values = values.data();
      list.key_type = KeyType::float32;
      list.workspace = workspace.data();
      list.workspace_bytes = workspace.size();
      EXPECT_EQ(bitmask_list(mask, list, stream.get()).message(), "");
      stream.synchronize();
      EXPECT_EQ(offsets.to_host(), expected.offsets) << what;
      const std::vector<std::int32_t> listed = indices.to_host();
      const std::vector<float> kept = values.to_host();
      for (std::int64_t i = 0; i < capacity; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(listed[at], expected.indices[at]) << what << " at " << i;
        ASSERT_EQ(kept[at], static_cast<float>(expected.entries[at])) << what << " at " << i;
      }
      for (std::int64_t i = capacity; i < found + 8; ++i)
        ASSERT_EQ(listed[static_cast<std::size_t>(i)], static_cast<std::int32_t>(0xa5a5a5a5U))
            << what << " at " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Shares, BitmaskGpu,
                         testing::Values(Share{0.0, 0}, Share{0.004, 1}, Share{0.3, 0},
                                         Share{1.0, 1}));

}  // namespace
}  // namespace stepscope::kernels
