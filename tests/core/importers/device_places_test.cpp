// SPDX-License-Identifier: Apache-2.0
#include "core/importers/device_places.hpp"

#include <gmock/gmock.h>

#include <utility>

#include "core/importers/trace_repairs.hpp"
#include "core/model/row_order.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kSecond = 1'000'000'000;

// Launches every 20 us of kernels of 50 us, and a wait for the device behind all.
TraceMaker queued_kernels(std::size_t count = 100) {
  TraceMaker make;
  std::int64_t device = kSecond;
  for (std::size_t k = 0; k < count; ++k) {
    const auto now = kSecond + static_cast<std::int64_t>(k) * 20'000;
    const auto id = static_cast<std::uint32_t>(k + 1);
    make.call("cudaLaunchKernel", 1, now, now + 5'000, id);
    make.kernel(k % 2 == 0 ? "gemm" : "add", 7, device + 6'000, device + 56'000, id);
    device += 50'000;
  }
  const auto last = kSecond + static_cast<std::int64_t>(count) * 20'000;
  make.call("cudaDeviceSynchronize", 1, last, device + 10'000);
  return make;
}

const std::vector<std::int64_t> kBegins = queued_kernels().data.device_ops.begin;
const std::vector<std::int64_t> kEnds = queued_kernels().data.device_ops.end;

void expect_mended(TraceMaker& make, const char* count) {
  mend_foreign_records(make.data);
  const Trace trace = make.build();
  EXPECT_EQ(trace.device_ops().begin, kBegins);
  EXPECT_EQ(trace.device_ops().end, kEnds);
  EXPECT_THAT(trace.health().notes, ElementsAre(HasSubstr(count)));
}

TEST(DevicePlaces, RecordsInTheOrderOfTheirLaunchesStay) {
  TraceMaker make = queued_kernels();
  mend_foreign_records(make.data);
  EXPECT_THAT(make.data.health.notes, IsEmpty());
  EXPECT_EQ(make.data.device_ops.begin, kBegins);
}

TEST(DevicePlaces, RecordsSecondsBeforeTheirLaunchGoBehindTheOneBeforeThem) {
  TraceMaker make = queued_kernels();
  for (const DeviceOpId op : {20U, 21U, 50U}) {
    make.data.device_ops.begin[op] -= kSecond / 2;
    make.data.device_ops.end[op] -= kSecond / 2;
  }
  expect_mended(make, "3 records of the device's work");
}

TEST(DevicePlaces, ABeginThatIsWrongAloneKeepsItsEnd) {
  TraceMaker make = queued_kernels();
  make.data.device_ops.begin[40] -= kSecond / 2;
  expect_mended(make, "1 record of the device's work stands");
}

TEST(DevicePlaces, RecordsAnHourLateGoBack) {
  TraceMaker make = queued_kernels();
  for (const DeviceOpId op : {30U, 60U}) {
    make.data.device_ops.begin[op] += 3600 * kSecond;
    make.data.device_ops.end[op] += 3600 * kSecond;
  }
  expect_mended(make, "2 records of the device's work");
}

TEST(DevicePlaces, TheLastOneIsKnownToBeLateByTheWaitBehindIt) {
  TraceMaker make = queued_kernels();
  make.data.device_ops.begin[99] += 3600 * kSecond;
  make.data.device_ops.end[99] += 3600 * kSecond;
  expect_mended(make, "1 record of the device's work");
}

// Two threads may launch in an order that their calls' begins do not show.
TEST(DevicePlaces, CallsThatOverlapHaveNoOrder) {
  TraceMaker make = queued_kernels();
  const std::int64_t now = 10 * kSecond;
  make.call("cudaLaunchKernel", 1, now, now + 900'000, 501);
  make.call("cudaLaunchKernel", 2, now + 10'000, now + 20'000, 502);
  make.kernel("second", 7, now + 30'000, now + 400'000, 502);
  make.kernel("first", 7, now + 400'000, now + 500'000, 501);
  mend_foreign_records(make.data);
  EXPECT_THAT(make.data.health.notes, IsEmpty());
}

TEST(DevicePlaces, AStreamWithoutOrderHasNoneThatIsMisplaced) {
  TraceMaker make = queued_kernels();
  DeviceOps& d = make.data.device_ops;
  for (DeviceOpId op = 0; op < 48; op += 3) std::swap(d.begin[op], d.begin[99 - op]);
  for (DeviceOpId op = 0; op < 100; ++op) d.end[op] = d.begin[op] + 50'000;
  put_in_order(make.data);
  EXPECT_THAT(misplaced_ops(make.data, link_launches(make.data)), Each(false));
}

// Fifteen kernels 3 ms early: they do not fit where they belong.
TEST(DevicePlaces, AClockThatJumpsIsSaid) {
  TraceMaker make = queued_kernels();
  for (DeviceOpId op = 85; op < 100; ++op) {
    make.data.device_ops.begin[op] -= 3'000'000;
    make.data.device_ops.end[op] -= 3'000'000;
  }
  make.call("cudaLaunchKernel", 1, 2 * kSecond, 2 * kSecond + 5'000, 777);
  make.kernel("gemm", 7, kBegins[85] + 10'000, kBegins[85] + 60'000, 777);
  mend_foreign_records(make.data);
  EXPECT_THAT(make.data.health.notes, Contains(HasSubstr("clock jumps")));
}

}  // namespace
}  // namespace stepscope
