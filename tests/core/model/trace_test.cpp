// SPDX-License-Identifier: Apache-2.0
#include "core/model/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

RangeId find(const Trace& trace, std::string_view name) {
  for (RangeId i = 0; i < trace.host_ranges().size(); ++i) {
    if (trace.text(trace.host_ranges().name[i]) == name) return i;
  }
  return kNone;
}

TEST(Trace, ParentIsTheInnermostActiveRangeOfTheThread) {
  TraceMaker make;
  make.range(HostKind::op, "inner", 1, 20, 30);
  make.range(HostKind::user_scope, "outer", 1, 0, 100);
  make.range(HostKind::op, "other thread", 2, 25, 28);
  make.range(HostKind::op, "later", 1, 40, 50);
  const Trace trace = make.build();
  const auto& parent = trace.host_ranges().parent;
  EXPECT_EQ(parent[find(trace, "inner")], find(trace, "outer"));
  EXPECT_EQ(parent[find(trace, "later")], find(trace, "outer"));
  EXPECT_EQ(parent[find(trace, "other thread")], kNone);
  EXPECT_EQ(parent[find(trace, "outer")], kNone);
}

TEST(Trace, CrossingRangesAreKeptCountedAndDoNotHideWhatIsOpen) {
  TraceMaker make;
  make.range(HostKind::user_scope, "scope", 1, 0, 50);
  make.range(HostKind::python_function, "function", 1, 30, 80);  // crosses the scope's end
  make.range(HostKind::op, "op", 1, 60, 70);
  const Trace trace = make.build();
  EXPECT_EQ(trace.health().crossing_ranges, 1U);
  EXPECT_EQ(trace.host_ranges().end[find(trace, "function")], 80);
  EXPECT_EQ(trace.host_ranges().parent[find(trace, "op")], find(trace, "function"));
}

TEST(Trace, AnEndedRangeBelowAnOpenOneIsNeverAParent) {
  TraceMaker make;
  make.range(HostKind::python_function, "long", 1, 0, 200);
  make.range(HostKind::user_scope, "ends first", 1, 10, 40);
  make.range(HostKind::python_function, "outlives it", 1, 30, 60);
  make.range(HostKind::op, "op", 1, 70, 80);
  const Trace trace = make.build();
  EXPECT_EQ(trace.host_ranges().parent[find(trace, "op")], find(trace, "long"));
}

// NCCL's communicators have an order of their own calls; a process may call from several threads.
TEST(Trace, CollectivesAreCountedByProcessAndCommunicatorInOrderOfTime) {
  TraceMaker make;
  make.thread(3, "", 1);
  make.data.processes.push_back({.pid = 200});
  make.data.collectives.range = {make.range(HostKind::nvtx_range, "ncclAllReduce", 2, 40, 50),
                                 make.range(HostKind::nvtx_range, "ncclAllGather", 1, 60, 70),
                                 make.range(HostKind::nvtx_range, "ncclAllReduce", 1, 20, 30),
                                 make.range(HostKind::nvtx_range, "ncclSend", 1, 80, 90),
                                 make.range(HostKind::nvtx_range, "ncclAllReduce", 1, 95, 99)};
  make.data.host_ranges.thread.back() = make.thread(3, "", 1);
  make.data.collectives.communicator = {7, 7, 7, 7, 7};
  make.data.collectives.bytes = {2, 3, 1, 4, 5};
  make.data.collectives.reduce.resize(5);
  make.data.collectives.peer.assign(5, kNone);
  const Trace trace = make.build();
  const Collectives& c = trace.data().collectives;
  EXPECT_TRUE(std::is_sorted(c.range.begin(), c.range.end()));
  std::map<std::uint64_t, std::uint32_t> ordinal_of_bytes;
  for (std::size_t i = 0; i < c.size(); ++i) ordinal_of_bytes[c.bytes[i]] = c.ordinal[i];
  const std::map<std::uint64_t, std::uint32_t> expected = {{1, 0}, {2, 1}, {3, 2}, {4, 0}, {5, 0}};
  EXPECT_EQ(ordinal_of_bytes, expected);
}

TEST(Trace, SameBeginPutsTheLongerRangeOutside) {
  TraceMaker make;
  make.range(HostKind::op, "short", 1, 10, 20);
  make.range(HostKind::op, "long", 1, 10, 90);
  const Trace trace = make.build();
  EXPECT_EQ(trace.host_ranges().parent[find(trace, "short")], find(trace, "long"));
}

TEST(Trace, ACallWithoutARowOfItsOwnGetsOne) {
  TraceMaker make;
  make.range(HostKind::runtime_call, "cudaLaunchKernel", 1, 30, 90);  // open when its process died
  make.call("cudaMemcpyAsync", 1, 0, 10, 5);
  const Trace trace = make.build();
  const RangeId open = find(trace, "cudaLaunchKernel");
  ASSERT_NE(trace.call_of(open), kNone);
  EXPECT_EQ(trace.calls().api[trace.call_of(open)], ApiKind::launch_kernel);
  EXPECT_EQ(trace.calls().correlation[trace.call_of(open)], 0U);
  EXPECT_EQ(trace.calls().correlation[trace.call_of(find(trace, "cudaMemcpyAsync"))], 5U);
}

TEST(Trace, LaunchesAreLinkedWithinTheirProcessOnly) {
  TraceMaker make;
  make.data.processes.push_back({.pid = 200});
  make.call("cudaGraphLaunch", 1, 0, 10, 5);
  make.call("cuLaunchKernel", 1, 2, 8, 5);  // inside the first, same id
  make.kernel("a", 0, 20, 30, 5);
  make.kernel("b", 0, 30, 40, 5);
  make.device_op(DeviceOpKind::kernel, "foreign", make.stream(0, 0, 1), 20, 30, 5);
  const Trace trace = make.build();
  int linked = 0;
  for (DeviceOpId op = 0; op < 3; ++op) {
    const bool foreign = trace.text(trace.device_ops().name[op]) == "foreign";
    EXPECT_EQ(trace.launch_of(op), foreign ? kNone : 0U);
    linked += foreign ? 0 : 1;
  }
  EXPECT_EQ(linked, 2);
  EXPECT_EQ(trace.calls().api[0], ApiKind::launch_graph);
  EXPECT_EQ(trace.ops_launched_by(0).size(), 2U);
  EXPECT_EQ(trace.ops_launched_by(1).size(), 0U);
}

TEST(Trace, CallsFollowTheirRangesThroughTheSort) {
  TraceMaker make;
  make.call("cudaMemcpyAsync", 1, 50, 60, 2);
  make.range(HostKind::op, "op", 1, 0, 100);
  make.call("cudaLaunchKernel", 1, 10, 20, 1);
  const Trace trace = make.build();
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls().correlation[0], 1U);
  EXPECT_EQ(trace.text(trace.host_ranges().name[trace.calls().range[0]]), "cudaLaunchKernel");
  EXPECT_EQ(trace.call_of(trace.calls().range[1]), 1U);
  EXPECT_EQ(trace.call_of(find(trace, "op")), kNone);
}

TEST(Trace, OpsWithoutATimeAreCountedAndNeverPlaced) {
  TraceMaker make;
  make.kernel("timed", 0, 10, 20, 0);
  make.kernel("no time", 0, 0, 0, 0);
  const Trace trace = make.build();
  EXPECT_EQ(trace.device_ops().size(), 1U);
  EXPECT_EQ(trace.health().zero_timestamps, 1U);
  EXPECT_EQ(trace.begin(), 10);
}

TEST(Trace, ReversedTimesBecomeEmptyAndAreCounted) {
  TraceMaker make;
  make.range(HostKind::op, "reversed", 1, 50, 40);
  make.kernel("reversed too", 0, 90, 80, 0);
  const Trace trace = make.build();
  EXPECT_EQ(trace.host_ranges().end[0], 50);
  EXPECT_EQ(trace.device_ops().end[0], 90);
  EXPECT_EQ(trace.health().reversed_times, 2U);
}

TEST(Trace, StreamsListTheirOpsInOrder) {
  TraceMaker make;
  make.kernel("late", 7, 50, 60, 0);
  make.kernel("other stream", 8, 10, 20, 0);
  make.kernel("early", 7, 30, 40, 0);
  const Trace trace = make.build();
  const auto ops = trace.ops_of(make.stream(7));
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(trace.text(trace.device_ops().name[ops[0]]), "early");
  EXPECT_EQ(trace.text(trace.device_ops().name[ops[1]]), "late");
}

TEST(Trace, EmptyTraceHasNoTimes) {
  const Trace trace = Trace::build(TraceData{});
  EXPECT_EQ(trace.begin(), 0);
  EXPECT_EQ(trace.end(), 0);
  EXPECT_EQ(trace.event_count(), 0U);
}

TEST(Trace, MemoryIsThatOfAllTables) {
  constexpr std::uint64_t kRows = 10'000;
  const auto bytes_with = [](auto add) {
    TraceMaker make;
    make.thread(1);
    add(make.data);
    return make.build().memory_bytes();
  };
  const std::uint64_t empty = bytes_with([](TraceData&) {});
  const auto add_counters = [](TraceData& data) {
    data.counters.time.assign(kRows, 1);
    data.counters.track.assign(kRows, 0);
    data.counters.process.assign(kRows, 0);
    data.counters.value.assign(kRows, 0);
  };
  const auto add_samples = [](TraceData& data) {
    data.samples.time.assign(kRows, 1);
    data.samples.cpu.assign(kRows, 1);
    for (auto* ids :
         {&data.samples.thread, &data.samples.site, &data.samples.called, &data.samples.innermost})
      ids->assign(kRows, 0);
    data.samples.flags.assign(kRows, 0);
    data.samples.asleep_in.assign(kRows, AsleepIn::unknown);
  };
  EXPECT_GE(bytes_with(add_counters), empty + 24 * kRows);
  EXPECT_GE(bytes_with(add_samples), empty + 33 * kRows);
}

TEST(Trace, AnIdThatComesAgainIsOfTheLastCallBefore) {
  TraceMaker make;
  make.call("cudaLaunchKernel", 1, 1'000, 2'000, 7);
  make.call("cudaLaunchKernel", 1, 900'000, 950'000, 7);
  make.kernel("first", 0, 3'000, 4'000, 7);
  make.kernel("second", 0, 898'000, 990'000, 7);  // device times are mapped to the host's
  const Trace trace = make.build();
  EXPECT_EQ(trace.launch_of(0), 0U);
  EXPECT_EQ(trace.launch_of(1), 1U);
}

// Calls lie by thread; what counts is their time.
TEST(Trace, AnIdThatComesAgainOnAnotherThreadIsOfTheLastCallBefore) {
  TraceMaker make;
  make.call("cudaLaunchKernel", 1, 500'000, 501'000, 7);
  make.call("cudaLaunchKernel", 2, 1'000, 2'000, 7);
  make.call("cudaLaunchKernel", 2, 900'000, 901'000, 7);
  for (const std::int64_t begin : {3'000, 502'000, 902'000})
    make.kernel("k", 0, begin, begin + 10, 7);
  const Trace trace = make.build();
  for (DeviceOpId op = 0; op < 3; ++op) {
    const RangeId range = trace.calls().range[trace.launch_of(op)];
    EXPECT_LT(trace.host_ranges().begin[range], trace.device_ops().begin[op]);
    EXPECT_GT(trace.host_ranges().begin[range], trace.device_ops().begin[op] - 2'500);
  }
}

// Looking at all calls of an id for each op would take 10^12 looks, beyond the test's limit of 300
// s.
TEST(Trace, AnIdMayComeAgainInEachOfManyWindows) {
  constexpr std::int64_t kWindows = 1'000'000;
  TraceMaker make;
  for (std::int64_t i = 0; i < kWindows; ++i) {
    make.call("cudaLaunchKernel", 1, i * 100'000, i * 100'000 + 1'000, 7);
    make.kernel("k", 0, i * 100'000 + 3'000, i * 100'000 + 4'000, 7);
  }
  const Trace trace = make.build();
  for (DeviceOpId op = 0; op < kWindows; ++op) ASSERT_EQ(trace.launch_of(op), op);
}

// Recorded, not recorded, recorded: between device records' begin and the hooks' there are ops
// whose launches are unknown, with ids of calls of the stretch before.
class OpsAroundAGap : public testing::Test {
 protected:
  OpsAroundAGap() {
    switched(0, 1), switched(100'000'000, 0), switched(900'000'000, 1);
    for (std::uint32_t id = 1; id <= 3; ++id) {
      make.call("cudaLaunchKernel", 1, id * 1'000'000, id * 1'000'000 + 1'000, id);
      make.kernel("before", 0, id * 1'000'000 + 5'000, id * 1'000'000 + 6'000, id);
    }
    make.call("cudaLaunchKernel", 1, 99'000'000, 99'001'000, 4);
    make.kernel("over the close", 0, 110'000'000, 120'000'000, 4);
  }
  void switched(std::int64_t time, double value) {
    Counters& c = make.data.counters;
    c.time.push_back(time), c.value.push_back(value), c.process.push_back(0);
    c.track.push_back(make.data.strings.intern(kCaptureTrack));
  }
  std::vector<CallId> launches() {
    const Trace trace = make.build();
    std::vector<CallId> out;
    for (DeviceOpId op = 0; op < trace.device_ops().size(); ++op)
      out.push_back(trace.launch_of(op));
    return out;
  }
  TraceMaker make;
};

TEST_F(OpsAroundAGap, OneThatRunsOverTheCloseKeepsItsLaunch) {
  EXPECT_THAT(launches(), testing::ElementsAre(0, 1, 2, 3));
}

// The device may be that far behind the host.
TEST_F(OpsAroundAGap, OneThatRunsInTheNextStretchKeepsItsLaunch) {
  make.call("cudaLaunchKernel", 1, 99'500'000, 99'501'000, 5);
  make.kernel("far behind", 0, 950'000'000, 960'000'000, 5);
  EXPECT_THAT(launches(), testing::ElementsAre(0, 1, 2, 3, 4));
}

// With ids of the last calls before the close, whose own ops are there.
TEST_F(OpsAroundAGap, ALaunchMakesOneOpAndAWaitNone) {
  make.call("cudaStreamSynchronize", 1, 99'900'000, 99'950'000, 5);
  make.kernel("after the hooks", 0, 880'000'000, 880'005'000, 4);
  make.kernel("of a wait", 0, 890'000'000, 890'005'000, 5);
  EXPECT_THAT(launches(), testing::ElementsAre(0, 1, 2, 3, kNone, kNone));
}

TEST_F(OpsAroundAGap, OneOfAnUnrecordedLaunchHasNone) {
  make.kernel("before the hooks", 0, 890'000'000, 890'005'000, 2);
  make.kernel("in the new stretch", 0, 910'000'000, 910'005'000, 3);
  make.call("cudaLaunchKernel", 1, 920'000'000, 920'001'000, 1);
  make.kernel("recorded", 0, 920'005'000, 920'006'000, 1);
  EXPECT_THAT(launches(), testing::ElementsAre(0, 1, 2, 3, kNone, kNone, 4));
}

TEST(Trace, ACallLongBehindAnOpDidNotLaunchIt) {
  TraceMaker make;
  make.kernel("early", 0, 1'000, 2'000, 7);
  make.call("cudaDeviceSynchronize", 1, 5'000'000, 5'001'000, 7);
  make.data.source = SourceKind::stepscope;
  EXPECT_EQ(make.build().launch_of(0), kNone);
}

// Some profilers give all collectives the number of one call.
TEST(Trace, AKernelsLaunchHasOneOpInOtherToolsTraces) {
  TraceMaker make;
  make.data.source = SourceKind::kineto;
  make.call("cudaLaunchKernel", 1, 100, 110, 7);
  make.call("cudaGraphLaunch", 1, 200, 210, 8);
  make.kernel("own", 7, 300, 400, 7);
  make.kernel("ncclDevKernel", 9, 400, 500, 7);
  make.kernel("node", 7, 500, 600, 8);
  make.kernel("node", 7, 600, 700, 8);
  const Trace trace = make.build();
  EXPECT_EQ(trace.launch_of(0), 0U);
  EXPECT_EQ(trace.launch_of(1), kNone);
  EXPECT_EQ(trace.launch_of(2), 1U);
  EXPECT_EQ(trace.launch_of(3), 1U);
}

// A second session of another tool's profiler counts from 1 again, with work of the first pending.
TEST(Trace, AsManyOpsAsCallsOfAnIdAreTheirsInOrder) {
  TraceMaker make;
  make.data.source = SourceKind::kineto;
  make.call("cudaLaunchKernel", 1, 100, 110, 7);
  make.call("cudaLaunchKernel", 1, 200, 210, 7);
  make.kernel("first", 7, 300, 400, 7);
  make.kernel("second", 7, 400, 500, 7);
  const Trace trace = make.build();
  EXPECT_EQ(trace.launch_of(0), 0U);
  EXPECT_EQ(trace.launch_of(1), 1U);
}

}  // namespace
}  // namespace stepscope
