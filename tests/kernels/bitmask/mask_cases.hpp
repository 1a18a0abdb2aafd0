// SPDX-License-Identifier: Apache-2.0
// Masks at random for the tests on a GPU, and memory filled with rubbish.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/common/bitmask.hpp"
#include "kernels/common/device_buffer.hpp"
#include "tests/kernels/support/gpu_found.hpp"
#include "tests/kernels/support/small_shapes.hpp"

namespace stepscope::kernels {

struct Shape {
  std::int64_t rows, columns;
};
inline const std::vector<Shape> kShapes = {{1, 1},     {1, 32},   {3, 33},    {40, 1000},
                                           {64, 512},  {5, 4096}, {5000, 40}, {33, 257},
                                           {70, 5024}, {1, 9000}, {9000, 1}};

struct Share {
  double set;  // share of all bits
  std::size_t turn;
};

class BitmaskGpu : public testing::TestWithParam<Share> {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }

  // Returns half of the small shapes; the others have another share.
  static std::vector<Shape> turn_of(const std::vector<Shape>& shapes) {
    return Turns(GetParam().turn).of(shapes, 2);
  }

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

}  // namespace stepscope::kernels
