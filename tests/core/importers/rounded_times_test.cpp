// SPDX-License-Identifier: Apache-2.0
#include "core/importers/rounded_times.hpp"

#include <gmock/gmock.h>

#include "core/model/row_order.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// 200 operations, each with a launch within it, whose begins were rounded to `grain`.
TraceData rounded_to(std::int64_t grain) {
  TraceMaker make;
  for (std::uint32_t k = 0; k < 200; ++k) {
    const std::int64_t begin = (1'000'000 + k * 23'457) / grain * grain;
    const std::int64_t inner = (1'003'000 + k * 23'457) / grain * grain;
    make.range(HostKind::op, "aten::mm", 1, begin, begin + 20'001);
    make.call("cudaLaunchKernel", 1, inner, inner + 5'003 + k, k + 1);
    make.kernel("k", 7, begin + 6'000, begin + 13'000, k + 1);
  }
  put_in_order(make.data);
  return std::move(make.data);
}

TEST(RoundedTimes, ThoseOfAClockAreLeftAlone) {
  TraceData data = rounded_to(1);
  EXPECT_TRUE(check_rounded_times(data).ok());
  EXPECT_THAT(data.health.notes, IsEmpty());
}

// 32-bit floats of microseconds since 1970 are multiples of 128.
TEST(RoundedTimes, BeginsThatAreCoarserThanLengthsAreSaid) {
  TraceData data = rounded_to(128'000);
  EXPECT_TRUE(check_rounded_times(data).ok());
  EXPECT_THAT(data.health.notes, Contains(HasSubstr("are multiples of 128 us")));
}

// A trace that was made by hand.
TEST(RoundedTimes, BeginsOnAGridAreLeftAloneWhereRangesNest) {
  TraceMaker make;
  for (std::uint32_t k = 0; k < 200; ++k)
    make.call("cudaLaunchKernel", 1, k * 100'000, k * 100'000 + 5'003, k + 1);
  EXPECT_TRUE(check_rounded_times(make.data).ok());
  EXPECT_THAT(make.data.health.notes, IsEmpty());
}

// Six digits of microseconds since 1970.
TEST(RoundedTimes, BeginsWhoseOrderIsLostAreRefused) {
  TraceData data = rounded_to(1'000'000);
  const Status checked = check_rounded_times(data);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message, HasSubstr("400 events of the host begin at 5 moments"));
}

TEST(RoundedTimes, WholeMicrosecondsAreSaidWhereTheyWeigh) {
  for (const std::int64_t length : {5'000, 500'000}) {
    TraceMaker make;
    for (std::uint32_t k = 0; k < 200; ++k) {
      const std::int64_t begin = 1'000'000 + k * 1'003'000 + k % 3 * 1'000;
      make.call("cudaLaunchKernel", 1, begin, begin + 5'000 + k * 1'000, k + 1);
      make.kernel("k", 7, begin + 6'000, begin + 6'000 + length, k + 1);
    }
    EXPECT_TRUE(check_rounded_times(make.data).ok());
    EXPECT_EQ(make.data.health.notes.empty(), length == 500'000);
  }
}

}  // namespace
}  // namespace stepscope
