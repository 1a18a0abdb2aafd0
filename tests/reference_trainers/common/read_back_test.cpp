// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/read_back.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "reference_trainers/common/device.hpp"

namespace stepscope::trainers {
namespace {

// As the numbers were when begin() was called, though they change behind it: on a GPU, else on the
// CPU.
TEST(ReadBack, GivesTheNumbersOfItsPlaceInTheStream) {
  const auto chosen = choose_device(DeviceWish::automatic);
  ASSERT_TRUE(chosen);
  const at::Tensor numbers = at::full({2}, 0, at::kLong).to(chosen->device);
  ReadBack back;
  for (std::int64_t i = 1; i < 40; ++i) {
    numbers.fill_(i);
    back.begin(numbers);
    numbers.fill_(-1);
    const at::Tensor& found = back.end();
    EXPECT_TRUE(found.is_cpu());
    EXPECT_EQ(found.sum().item<std::int64_t>(), 2 * i);
  }
}

}  // namespace
}  // namespace stepscope::trainers
