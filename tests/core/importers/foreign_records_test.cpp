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

TEST(ForeignRecords, KernelsWithoutALengthAreLeftOutWhereTheyAreMany) {
  for (const std::size_t without : {1U, 10U}) {
    TraceMaker make = launches();
    DeviceOps& d = make.data.device_ops;
    for (std::size_t op = 0; op < without; ++op) d.end[op] = d.begin[op];
    mend_foreign_records(make.data);
    EXPECT_EQ(d.size(), without == 1 ? 40U : 30U);
    EXPECT_EQ(make.data.health.zero_timestamps, without == 1 ? 0U : 10U);
    EXPECT_EQ(make.data.health.notes.empty(), without == 1);
  }
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

TEST(ForeignRecords, KernelsThatRunOverEachOtherAreSaid) {
  TraceMaker make = launches();
  for (std::size_t op = 0; op < 20; ++op) make.data.device_ops.end[op] += 10'000'000;
  make.data.source = SourceKind::kineto;
  mend_foreign_records(make.data);
  mend_stream_order(make.data);
  EXPECT_THAT(make.data.health.notes, Contains(HasSubstr("end behind the end of a later one")));
}

}  // namespace
}  // namespace stepscope
