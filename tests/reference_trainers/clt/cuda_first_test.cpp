// SPDX-License-Identifier: Apache-2.0
// LibTorch asks once whether it has CUDA and remembers the answer, so its libraries are loaded
// before the first test: some tests use what asks.
#include <gtest/gtest.h>

#include "reference_trainers/common/device.hpp"

namespace stepscope::trainers {
namespace {

class CudaFirst : public testing::Environment {
 public:
  void SetUp() override { ASSERT_TRUE(choose_device(DeviceWish::automatic)); }
};

const auto* const cuda_first = testing::AddGlobalTestEnvironment(new CudaFirst);

TEST(CudaFirst, EveryChoiceIsTheFirst) {
  const Result<ChosenDevice> first = choose_device(DeviceWish::automatic);
  const Result<ChosenDevice> second = choose_device(DeviceWish::automatic);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->device, second->device);
  EXPECT_NE(cuda_first, nullptr);
}

}  // namespace
}  // namespace stepscope::trainers
