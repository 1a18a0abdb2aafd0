// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/importers/trace_repairs.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

TraceMaker launches(std::int64_t scale = 1) {
  TraceMaker make;
  for (std::uint32_t k = 0; k < 40; ++k) {
    const std::int64_t now = (1'000'000 + k * 20'000) * scale;
    make.call("cudaLaunchKernel", 1, now, now + 5'000 * scale, k + 1);
    make.kernel("k", 7, now + 6'000 * scale, now + 16'000 * scale, k + 1);
  }
  return make;
}

TEST(ForeignRecords, OneOfTwoOfARecordIsRead) {
  TraceMaker make = launches();
  for (std::uint32_t k = 0; k < 40; k += 2)
    make.kernel("k", k % 4 == 0 ? 7 : 8, 1'006'000 + k * 20'000, 1'016'000 + k * 20'000, k + 1);
  mend_foreign_records(make.data);
  EXPECT_EQ(make.data.device_ops.size(), 40U);
  EXPECT_THAT(make.data.health.notes,
              Contains(HasSubstr("20 records of the device's work stand twice")));
}

TEST(ForeignRecords, NodesOfAGraphMayBeAlike) {
  TraceMaker make = launches();
  make.call("cudaGraphLaunch", 1, 5'000'000, 5'010'000, 99);
  make.kernel("k", 7, 5'020'000, 5'030'000, 99);
  make.kernel("k", 8, 5'020'000, 5'030'000, 99);
  mend_foreign_records(make.data);
  EXPECT_EQ(make.data.device_ops.size(), 42U);
  EXPECT_THAT(make.data.health.notes, IsEmpty());
}

TEST(ForeignRecords, FewKernelsWithoutALengthTakeTheTimeOfOthersLikeThem) {
  for (const std::size_t without : {1U, 8U}) {
    TraceMaker make = launches();
    DeviceOps& d = make.data.device_ops;
    for (std::size_t op = 0; op < without; ++op) d.end[op] = d.begin[op];
    mend_foreign_records(make.data);
    ASSERT_EQ(d.size(), 40U);
    for (std::size_t op = 0; op < 40; ++op) EXPECT_EQ(d.end[op] - d.begin[op], 10'000);
    EXPECT_THAT(make.data.health.notes, Contains(HasSubstr("given the time of others like")));
  }
}

TEST(ForeignRecords, TheTimeThatIsGivenEndsWhereTheNextOpBegins) {
  TraceMaker make = launches();
  make.kernel("k", 7, 2'000'000, 2'000'000, 0);
  make.kernel("other", 7, 2'004'000, 2'005'000, 0);
  mend_foreign_records(make.data);
  EXPECT_EQ(make.data.device_ops.end[40], 2'004'000);
}

TEST(ForeignRecords, ManyKernelsWithoutALengthAreLeftOut) {
  TraceMaker make = launches();
  DeviceOps& d = make.data.device_ops;
  for (std::size_t op = 0; op < 10; ++op) d.end[op] = d.begin[op];
  mend_foreign_records(make.data);
  EXPECT_EQ(d.size(), 30U);
  EXPECT_EQ(make.data.health.zero_timestamps, 10U);
}

TEST(ForeignRecords, AKernelOfWhichNoOtherHasALengthIsLeftOut) {
  TraceMaker make = launches();
  make.kernel("once", 7, 2'000'001, 2'000'001, 0);
  mend_foreign_records(make.data);
  EXPECT_EQ(make.data.device_ops.size(), 40U);
  EXPECT_THAT(make.data.health.notes,
              Contains(HasSubstr("1 of 41 records of the device's work has no length")));
}

TEST(ForeignRecords, ACopyWithoutALengthTakesTheTimeOfOneOfItsSize) {
  TraceMaker make = launches();
  const auto copy = [&make](std::int64_t begin, std::int64_t end, std::uint64_t bytes) {
    make.copy(CopyKind::host_to_device, MemoryKind::pinned, MemoryKind::device, 7, begin, end, 0,
              bytes);
  };
  copy(3'000'000, 3'002'000, 100);
  copy(3'100'000, 3'140'001, 1 << 20);
  copy(3'200'000, 3'200'000, 1 << 20);
  mend_foreign_records(make.data);
  EXPECT_EQ(make.data.device_ops.end[42], 3'240'001);
}

// PyTorch 1.8 wrote whole microseconds, and many a fill takes less than one.
TEST(ForeignRecords, KernelsThatAreShorterThanTheClocksUnitAreKept) {
  TraceMaker make = launches();
  for (std::uint32_t k = 0; k < 40; ++k) {
    const std::int64_t begin = 2'000'000 + k * 20'000;
    make.kernel("fill", 7, begin, begin + (k % 2) * 1'000, 0);
  }
  mend_foreign_records(make.data);
  EXPECT_EQ(make.data.device_ops.size(), 80U);
  EXPECT_EQ(make.data.health.zero_timestamps, 0U);
  EXPECT_THAT(make.data.health.notes, IsEmpty());
}

TEST(ForeignRecords, WhatLiesFarFromAllAndHasNoCallIsLeftOut) {
  TraceMaker make = launches();
  make.kernel("k", 7, 3'600'000'000'000, 3'600'000'010'000, 99);
  mend_foreign_records(make.data);
  EXPECT_EQ(make.data.device_ops.size(), 40U);
  EXPECT_THAT(make.data.health.notes,
              Contains(HasSubstr("1 record of the device's work lies far")));
}

TEST(ForeignRecords, LaunchesTellAnotherUnitOfTime) {
  TraceMaker right = launches(), large = launches(1000);
  mend_foreign_records(right.data);
  mend_foreign_records(large.data);
  EXPECT_THAT(right.data.health.notes, IsEmpty());
  EXPECT_THAT(large.data.health.notes, Contains(HasSubstr("a thousand times as short")));
}

// Those that arrows stand for, say.
TEST(ForeignRecords, LaunchesWithoutALengthTellNoUnitOfTime) {
  TraceMaker make = launches();
  make.data.host_ranges.end = make.data.host_ranges.begin;
  mend_foreign_records(make.data);
  EXPECT_THAT(make.data.health.notes, IsEmpty());
}

TEST(ForeignRecords, KernelsTellAnotherUnitOfTime) {
  TraceMaker make = launches();
  DeviceOps& d = make.data.device_ops;
  for (std::size_t op = 0; op < d.size(); ++op) d.end[op] = d.begin[op] + 10;
  mend_foreign_records(make.data);
  EXPECT_THAT(make.data.health.notes,
              Contains(HasSubstr("nine of ten kernels take at most 10 ns, and none does")));
}

TEST(ForeignRecords, KernelsThatRunOverEachOtherAreSaid) {
  TraceMaker make = launches();
  for (std::size_t op = 0; op < 20; ++op) make.data.device_ops.end[op] += 60'000;
  make.data.source = SourceKind::kineto;
  mend_foreign_records(make.data);
  mend_stream_order(make.data);
  EXPECT_THAT(make.data.health.notes, Contains(HasSubstr("end behind the end of a later one")));
}

}  // namespace
}  // namespace stepscope
