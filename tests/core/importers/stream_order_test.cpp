// SPDX-License-Identifier: Apache-2.0
#include "core/importers/trace_repairs.hpp"

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

// AMD's tracer: kernels that last 1.6 s over all that follows.
TEST(StreamOrder, AKernelThatEndsBehindLaterKernelsTakesTheTimeOfOthersOfItsName) {
  TraceMaker make;
  make.kernel("attention", 7, 1'000, 5'000, 1);
  make.kernel("attention", 7, 5'000, 15'000, 2);
  make.kernel("attention", 7, 15'000, 27'000, 3);
  const DeviceOpId broken = make.kernel("attention", 7, 40'000, 1'600'000'000, 4);
  make.kernel("add", 7, 80'000, 90'000, 5);
  make.kernel("add", 8, 81'000, 500'000'000, 6);
  mend_stream_order(make.data);
  EXPECT_EQ(make.data.device_ops.end[broken], 50'000) << "the median of 4, 10 and 12 us";
  EXPECT_EQ(make.data.device_ops.end[broken + 2], 500'000'000) << "nothing follows on its stream";
  ASSERT_EQ(make.data.health.notes.size(), 1U);
  EXPECT_THAT(make.data.health.notes[0], HasSubstr("1 record of kernels"));
}

TEST(StreamOrder, TheLastKernelOfAStreamThatOutlastsAllTakesTheTimeOfOthers) {
  TraceMaker make;
  make.range(HostKind::op, "aten::mm", 1, 1'000, 100'000);
  for (std::uint32_t i = 1; i < 5; ++i) make.kernel("adam", 7, 10'000 * i, 10'000 * i + 2'000, i);
  const DeviceOpId broken = make.kernel("adam", 7, 90'000, 1'600'000'000, 9);
  make.kernel("rare", 8, 90'000, 1'600'000'000, 10);
  mend_stream_order(make.data);
  EXPECT_EQ(make.data.device_ops.end[broken], 92'000);
  EXPECT_EQ(make.data.device_ops.end[broken + 1], 1'600'000'000) << "no other of its name";
}

TEST(StreamOrder, TwoKernelsBehindEachOtherThatOverrunBothEndWhereTheNextBegins) {
  TraceMaker make;
  const DeviceOpId first = make.kernel("a", 7, 1'000, 900'000, 1);
  const DeviceOpId second = make.kernel("b", 7, 10'000, 950'000, 2);
  copy(make, 30'000, 40'000, 64);
  mend_stream_order(make.data);
  EXPECT_EQ(make.data.device_ops.end[first], 10'000);
  EXPECT_EQ(make.data.device_ops.end[second], 30'000);
}

// Two ranks in one file share their numbers of streams: that is no order to mend.
TEST(StreamOrder, AStreamWhoseKernelsKeepNoOrderIsLeftAlone) {
  TraceMaker make;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t at = 100'000 * (i + 1);
    make.kernel("long", 7, at, at + 90'000, static_cast<std::uint32_t>(2 * i + 1));
    make.kernel("short", 7, at + 10'000, at + 20'000, static_cast<std::uint32_t>(2 * i + 2));
  }
  const std::vector<std::int64_t> before = make.data.device_ops.end;
  mend_stream_order(make.data);
  EXPECT_EQ(make.data.device_ops.end, before);
}

// Two processes on one stream's number take their usual times; no kernel takes 20,000 times its own.
TEST(StreamOrder, KernelsThatOverrunByFarAreMendedHoweverManyTheyAre) {
  TraceMaker make;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t at = 100'000 * (i + 1), end = i % 3 == 0 ? 1'000'000'000 : at + 50'000;
    make.kernel("k", 7, at, end, static_cast<std::uint32_t>(i + 1));
  }
  mend_stream_order(make.data);
  for (std::int64_t i = 0; i < 20; ++i)
    EXPECT_EQ(make.data.device_ops.end[static_cast<std::size_t>(i)], 100'000 * (i + 1) + 50'000);
}

TEST(StreamOrder, KernelsOfOneGraphLaunchMayRunBesideEachOther) {
  TraceMaker make;
  make.kernel("branch", 7, 1'000, 90'000, 1);
  make.kernel("branch", 7, 5'000, 20'000, 1);
  make.kernel("next", 7, 90'000, 95'000, 2);
  const std::vector<std::int64_t> before = make.data.device_ops.end;
  mend_stream_order(make.data);
  EXPECT_EQ(make.data.device_ops.end, before);
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
