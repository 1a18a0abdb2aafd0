// SPDX-License-Identifier: Apache-2.0
#include "core/importers/stream_order.hpp"

#include <gmock/gmock.h>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr MemoryKind kDevice = MemoryKind::device;

DeviceOpId copy(TraceMaker& make, std::int64_t begin, std::int64_t end, std::uint64_t bytes,
                std::uint32_t stream = 7) {
  static std::uint32_t correlation = 0;
  return make.copy(CopyKind::device_to_device, kDevice, kDevice, stream, begin, end, ++correlation,
                   bytes);
}

TEST(StreamOrder, ACopyThatEndsLongBehindTheNextOpTakesTheTimeOfOneLikeIt) {
  TraceMaker make;
  const DeviceOpId small = copy(make, 1'000, 2'100, 64),
                   large = copy(make, 10'000, 90'000, 1 << 20);
  const DeviceOpId broken = copy(make, 200'000, 900'000'000, 17);
  make.kernel("k", 7, 500'000, 600'000, 77);
  mend_stream_order(make.data);
  const DeviceOps& ops = make.data.device_ops;
  EXPECT_EQ(ops.end[broken], 201'100);
  EXPECT_EQ(ops.end[small], 2'100);
  EXPECT_EQ(ops.end[large], 90'000);
  ASSERT_EQ(make.data.health.notes.size(), 1U);
  EXPECT_THAT(make.data.health.notes[0], HasSubstr("1 record of copies"));
}

TEST(StreamOrder, WithoutOneLikeItItEndsWhereTheNextOpBegins) {
  TraceMaker make;
  const DeviceOpId broken = copy(make, 200'000, 900'000'000, 17);
  make.kernel("k", 7, 500'000, 600'000, 77);
  mend_stream_order(make.data);
  EXPECT_EQ(make.data.device_ops.end[broken], 500'000);
}

// Other streams, a clock's rounding, kernels that overlap and the nodes of a graph.
TEST(StreamOrder, WhatMayOverlapIsLeftAlone) {
  TraceMaker make;
  copy(make, 1'000, 400'000, 1 << 20, 8);
  copy(make, 1'000, 100'000, 1 << 20);
  make.kernel("k", 7, 98'500, 200'000, 50);
  make.kernel("k", 7, 120'000, 300'000, 51);
  const DeviceOpId node = copy(make, 400'000, 700'000, 1 << 20);
  make.data.device_ops.graph[node] = 3;
  make.kernel("k", 7, 410'000, 420'000, 52);
  const std::vector<std::int64_t> before = make.data.device_ops.end;
  mend_stream_order(make.data);
  EXPECT_EQ(make.data.device_ops.end, before);
  EXPECT_THAT(make.data.health.notes, IsEmpty());
}

}  // namespace
}  // namespace stepscope
