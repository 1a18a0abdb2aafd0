// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/device.hpp"

#include <gmock/gmock.h>

#include <filesystem>

namespace stepscope::trainers {
namespace {

bool has_driver() {
  return std::filesystem::exists("/dev/nvidiactl");
}

TEST(Device, CpuIsAlwaysThere) {
  const auto device = choose_device(DeviceWish::cpu);
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE(device->device.is_cpu());
}

TEST(Device, AutomaticAlwaysFindsOne) {
  EXPECT_TRUE(choose_device(DeviceWish::automatic).ok());
}

TEST(Device, CudaWithoutDriverSaysWhatToDo) {
  if (has_driver()) GTEST_SKIP() << "this machine has a GPU driver";
  const auto device = choose_device(DeviceWish::cuda);
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().message, testing::HasSubstr("use --device cpu"));
}

TEST(Device, CudaIsUsedWhereThereIsAGpu) {
  if (!has_driver()) GTEST_SKIP() << "this machine has no GPU driver";
  const auto device = choose_device(DeviceWish::cuda);
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_TRUE(device->device.is_cuda());
}

}  // namespace
}  // namespace stepscope::trainers
