// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/copy_ahead.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

#include "reference_trainers/common/device.hpp"

namespace stepscope::trainers {
namespace {

// Many copies in turn, each used while the next one runs: on a GPU, else on the CPU.
TEST(CopyAhead, GivesEachTensorWhole) {
  constexpr std::int64_t kSize = 1 << 20;
  const auto chosen = choose_device(DeviceWish::automatic);
  ASSERT_TRUE(chosen);
  const CopyAhead copies(chosen->device);
  const bool pinned = chosen->device.is_cuda();
  const auto host = [&](int i) {
    return (at::arange(kSize, at::kLong) + i)
        .to(at::TensorOptions(at::kLong).pinned_memory(pinned));
  };
  CopyAhead::Copy ahead = copies.begin(host(0));
  for (int i = 0; i < 40; ++i) {
    const CopyAhead::Copy copy = std::move(ahead);
    ahead = copies.begin(host(i + 1));
    const at::Tensor here = copies.end(copy);
    EXPECT_EQ(here.device(), chosen->device);
    EXPECT_EQ(here.sum().item<std::int64_t>(), kSize * (kSize - 1) / 2 + kSize * i);
  }
}

}  // namespace
}  // namespace stepscope::trainers
