// SPDX-License-Identifier: Apache-2.0
#include "core/importers/device_clock.hpp"

#include <gmock/gmock.h>

#include "core/importers/device_places.hpp"
#include "core/importers/trace_repairs.hpp"
#include "core/model/row_order.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

// Forty launches; behind each fourth a copy to the host that is waited for.
TraceData some_trace(std::int64_t device_clock) {
  TraceMaker make;
  std::int64_t now = 10'000'000, device = 0;
  std::uint32_t id = 0;
  for (int k = 0; k < 40; ++k) {
    make.call("cudaLaunchKernel", 1, now, now + 5'000, ++id);
    device = std::max(device, now + 6'000) + 50'000;
    make.kernel("k", 7, device - 50'000 + device_clock, device + device_clock, id);
    now += 20'000;
    if (k % 4 != 3) continue;
    make.call("cudaMemcpyAsync", 1, now, now + 3'000, ++id);
    device = std::max(device, now + 4'000) + 2'000;
    make.copy(CopyKind::device_to_host, MemoryKind::device, MemoryKind::pinned, 7,
              device - 2'000 + device_clock, device + device_clock, id);
    make.call("cudaStreamSynchronize", 1, now + 4'000, device + 8'000);
    now = device + 10'000;
  }
  return std::move(make.data);
}

std::int64_t mended(TraceData& data) {
  put_in_order(data);
  const std::vector<CallId> launch_of = link_launches(data);
  return mend_device_clock(data, launch_of, misplaced_ops(data, launch_of));
}

TEST(DeviceClock, ThatAgreesIsLeftAlone) {
  for (const std::int64_t off : {0, 50'000, -50'000}) {
    TraceData data = some_trace(off);
    EXPECT_EQ(mended(data), 0) << off;
    EXPECT_TRUE(data.health.notes.empty());
  }
}

TEST(DeviceClock, ThatIsOffIsMovedBackAndSaid) {
  for (const std::int64_t off : {2'000'000, -2'000'000, 50'000'000, -50'000'000}) {
    TraceData data = some_trace(off);
    const DeviceOps right = some_trace(0).device_ops;
    EXPECT_NEAR(static_cast<double>(mended(data)), static_cast<double>(-off), 15'000);
    for (DeviceOpId op = 0; op < right.size(); ++op)
      EXPECT_NEAR(static_cast<double>(data.device_ops.begin[op]),
                  static_cast<double>(right.begin[op]), 15'000);
    ASSERT_EQ(data.health.notes.size(), 1U);
    EXPECT_NE(data.health.notes.front().find(off > 0 ? "ahead of" : "behind"), std::string::npos);
  }
}

// Ids that come again (a second session of the profiler) are no sign of a clock that is off.
TEST(DeviceClock, IdsThatComeAgainSayNothingOfIt) {
  TraceData data = some_trace(0);
  for (auto* ids : {&data.calls.correlation, &data.device_ops.correlation})
    for (std::uint32_t& id : *ids)
      if (id != 0) id = id % 25 + 1;
  EXPECT_EQ(mended(data), 0);
}

TEST(DeviceClock, ThatDriftsIsSaid) {
  TraceData data = some_trace(0);
  for (auto* times : {&data.device_ops.begin, &data.device_ops.end})
    for (std::int64_t& time : *times) time += (time - 10'000'000) / 4;
  mend_foreign_records(data);
  EXPECT_THAT(data.health.notes, testing::Contains(testing::HasSubstr("drifts or jumps")));
}

// The length of a wait that overflowed is not known, so nor is when it returned.
TEST(DeviceClock, AWaitWithoutALengthSaysNothingOfIt) {
  TraceData data = some_trace(0);
  HostRanges& h = data.host_ranges;
  for (CallId call = 0; call < data.calls.size(); ++call)
    if (data.calls.api[call] == ApiKind::sync_stream)
      h.end[data.calls.range[call]] = h.begin[data.calls.range[call]];
  mend_foreign_records(data);
  EXPECT_THAT(data.health.notes, testing::IsEmpty());
}

TEST(DeviceClock, ARecordThatOverrunsItsStreamSaysNothingOfIt) {
  TraceData data = some_trace(0);
  data.device_ops.end[20] += 1'600'000'000;
  mend_foreign_records(data);
  EXPECT_THAT(data.health.notes, testing::IsEmpty());
}

}  // namespace
}  // namespace stepscope
