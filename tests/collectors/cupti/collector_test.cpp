// SPDX-License-Identifier: Apache-2.0
// The collector over a fake CUPTI and the real recorder, each case in a forked child: what calls
// and records become in the file.
#include "collectors/cupti/collector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "collectors/cupti/graph_hooks.hpp"
#include "collectors/recorder/capture.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/process_state.hpp"
#include "core/attribution/captures.hpp"
#include "tests/collectors/cupti/fake_cupti.hpp"
#include "tests/collectors/recorded_child.hpp"

namespace stepscope::cupti {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kLaunch = 211, kCopyAsync = 41, kRecord = 135, kWait = 147;
constexpr std::uint32_t kDriverLaunch = 307, kInstantiate = 443;
constexpr std::uint32_t kBeginCapture = 315, kEndCapture = 319, kGraphLaunch = 311;

void* handle(std::uintptr_t value) {
  return reinterpret_cast<void*>(value);
}

struct LaunchParameters {
  std::uint64_t before[6]{};
  void* stream;
};
struct EventParameters {
  void* event;
  void* stream;
};
struct WaitParameters {
  void* stream;
  void* event;
};
struct CopyParameters {
  const void* target = nullptr;
  const void* source = nullptr;
  std::uint64_t count;
  std::uint64_t kind = 1;
  void* stream;
};

class CollectorTest : public RecordedChild {};

std::vector<std::string> call_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const RangeId range : trace.calls().range)
    names.emplace_back(trace.text(trace.host_ranges().name[range]));
  return names;
}

std::vector<std::string> notes_about_graphs(const Trace& trace) {
  std::vector<std::string> notes = trace.health().notes;
  std::erase_if(
      notes, [](const std::string& note) { return note.find("CUDA graphs") == std::string::npos; });
  return notes;
}

TEST_F(CollectorTest, ALaunchIsTiedToItsKernelByCorrelation) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    const LaunchParameters launch{.stream = handle(7)};
    const std::uint32_t correlation = fake_cupti::call(Domain::runtime, kLaunch, &launch);
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const auto start = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                       static_cast<std::uint64_t>(now.tv_nsec);
    fake_cupti::state().waiting = {fake_cupti::kernel("gemm", start, start + 500, 7, correlation)};
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cudaLaunchKernel"));
  EXPECT_THAT(trace.calls().api, ElementsAre(ApiKind::launch_kernel));
  ASSERT_EQ(trace.device_ops().size(), 1U);
  EXPECT_EQ(trace.launch_of(0), 0U);
  EXPECT_EQ(trace.calls().stream[0], trace.device_ops().stream[0]);
  EXPECT_TRUE(trace.collected().device_ops);
  EXPECT_TRUE(trace.collected().api_calls);
  EXPECT_TRUE(trace.collected().api_arguments);
}

TEST_F(CollectorTest, EventsStreamsAndBytesOfCallsAreKept) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    const EventParameters event{handle(0xe0), handle(7)};
    const WaitParameters wait{handle(9), handle(0xe0)};
    const CopyParameters copy{.count = 4096, .stream = handle(9)};
    fake_cupti::call(Domain::runtime, kRecord, &event);
    fake_cupti::call(Domain::runtime, kWait, &wait);
    fake_cupti::call(Domain::runtime, kCopyAsync, &copy);
  });
  const Trace trace = read();
  const Calls& calls = trace.calls();
  EXPECT_THAT(calls.api, ElementsAre(ApiKind::event_record, ApiKind::stream_wait_event,
                                     ApiKind::memcpy_async));
  EXPECT_THAT(calls.event, ElementsAre(0xe0U, 0xe0U, 0U));
  EXPECT_THAT(calls.bytes, ElementsAre(kUnknownBytes, kUnknownBytes, 4096U));
  EXPECT_EQ(trace.data().streams[calls.stream[0]].stream, 7U);
  EXPECT_EQ(trace.data().streams[calls.stream[1]].stream, 9U);
  EXPECT_EQ(calls.stream[1], calls.stream[2]);
}

TEST_F(CollectorTest, OnlyTheOutermostCallIsRecorded) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    const LaunchParameters launch{.stream = handle(7)};
    fake_cupti::call(Domain::runtime, kLaunch, &launch, [] {
      const LaunchParameters inner{.stream = handle(7)};
      fake_cupti::call(Domain::driver, kDriverLaunch, &inner);
    });
    fake_cupti::call(Domain::driver, kDriverLaunch, &launch);
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cudaLaunchKernel", "cuLaunchKernel"));
  EXPECT_THAT(trace.calls().correlation, ElementsAre(1U, 3U));
}

// cudaDeviceReset ends calls whose exit is never told.
TEST_F(CollectorTest, CallsAreRecordedAgainBehindTheEndOfAContext) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    const LaunchParameters launch{.stream = handle(7)};
    CallbackData data{};
    data.function_params = &launch;
    data.correlation_id = 100;
    const auto runtime = static_cast<std::uint32_t>(Domain::runtime);
    fake_cupti::state().callback(nullptr, runtime, kLaunch, &data);
    const ResourceData context{};
    fake_cupti::state().callback(nullptr, static_cast<std::uint32_t>(Domain::resource),
                                 kContextDestroyStarting, &context);
    fake_cupti::call(Domain::runtime, kLaunch, &launch);
  });
  EXPECT_THAT(read().calls().correlation, ElementsAre(100U, 1U));
}

TEST_F(CollectorTest, LightLeavesEventsOut) {
  record([] {
    Options options;
    options.hooks.level = Level::light;
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    const EventParameters event{handle(0xe0), handle(7)};
    const LaunchParameters launch{.stream = handle(7)};
    fake_cupti::call(Domain::runtime, kRecord, &event);
    fake_cupti::call(Domain::runtime, kLaunch, &launch);
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cudaLaunchKernel"));
  EXPECT_FALSE(trace.collected().api_arguments);
}

TEST_F(CollectorTest, APlanSwitchesKindsAndCallsOffAndOn) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    recorder::plan_capture({.by_trigger = true}, nullptr);
    recorder::begin_range(recorder::kLaneUser, HostKind::user_scope, recorder::intern_name("r", 1),
                          0, 0, kNoSequence);
    recorder::end_range(recorder::kLaneUser);
    const LaunchParameters launch{.stream = handle(7)};
    const auto wait_for_kinds = [](bool on) {
      for (int i = 0; i < 500 && fake_cupti::state().enabled.empty() == on; ++i) usleep(10'000);
      EXPECT_EQ(fake_cupti::state().enabled.empty(), !on);
    };
    wait_for_kinds(false);
    usleep(50'000);  // callbacks go off behind the kinds
    EXPECT_FALSE(fake_cupti::state().callbacks.contains({2, kLaunch}));
    recorder::trigger_capture(true);
    wait_for_kinds(true);
    EXPECT_EQ(fake_cupti::call(Domain::runtime, kLaunch, &launch), 1U);
    recorder::trigger_capture(false);
    wait_for_kinds(false);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

TEST_F(CollectorTest, TheProfilersStartAndStopAreATrigger) {
  record([] {
    Options options;
    options.hooks.profiler_control = true;
    recorder::plan_capture({.by_trigger = true}, nullptr);
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    EXPECT_FALSE(recorder::taking());
    fake_cupti::call(Domain::runtime, kRuntimeProfilerStart, nullptr);
    for (int i = 0; i < 500 && !recorder::taking(); ++i) usleep(10'000);
    EXPECT_TRUE(recorder::taking());
    fake_cupti::call(Domain::runtime, kRuntimeProfilerStop, nullptr);
    EXPECT_FALSE(recorder::taking());
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

// A launch under capture makes a node; instantiating makes its clone, which is what a replay
// names.
TEST_F(CollectorTest, ANodeOfAGraphLeadsToTheLineOfItsCapture) {
  record([] {
    Options options;
    options.hooks.call_site = []() noexcept {
      return recorder::intern_site(recorder::intern_name("train.py", 8), 12,
                                   recorder::intern_name("f", 1));
    };
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    const LaunchParameters launch{.stream = handle(7)};
    fake_cupti::call(Domain::runtime, kLaunch, &launch, [] { fake_cupti::make_node(11); });
    fake_cupti::make_node(21, 11);
  });
  const Trace trace = read();
  const GraphNodes& nodes = trace.graph_nodes();
  // The clone is told of as new first.
  EXPECT_THAT(nodes.node, ElementsAre(11U, 21U, 21U));
  EXPECT_THAT(nodes.original, ElementsAre(0U, 0U, 11U));
  EXPECT_EQ(nodes.site[0], trace.host_ranges().site[0]);
  EXPECT_NE(nodes.site[0], kNone);
  EXPECT_EQ(nodes.site[2], kNone);
  EXPECT_GE(nodes.time[0], trace.host_ranges().begin[0]);
  EXPECT_LE(nodes.time[0], trace.host_ranges().end[0]);
  EXPECT_THAT(notes_about_graphs(trace), IsEmpty());
}

// The whole way: rings, buffers, file, reader.
TEST_F(CollectorTest, AKernelOfAReplayLeadsToItsCapture) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    const LaunchParameters launch{.stream = handle(7)};
    const EventParameters stream{handle(7), handle(7)};
    fake_cupti::call(Domain::runtime, kBeginCapture, &stream);
    fake_cupti::call(Domain::runtime, kLaunch, &launch, [] { fake_cupti::make_node(11); });
    fake_cupti::call(Domain::runtime, kEndCapture, &stream);
    fake_cupti::call(Domain::runtime, kInstantiate, nullptr, [] { fake_cupti::make_node(21, 11); });
    const std::uint32_t replay = fake_cupti::call(Domain::runtime, kGraphLaunch, &stream);
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const auto start = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                       static_cast<std::uint64_t>(now.tv_nsec);
    KernelRecord kernel = fake_cupti::kernel("gemm", start, start + 500, 7, replay);
    kernel.graph = 3;
    kernel.graph_node = 21;
    fake_cupti::state().waiting = {kernel};
  });
  const Trace trace = read();
  ASSERT_EQ(trace.device_ops().size(), 1U);
  const Captures captures(trace);
  const std::uint32_t row = captures.of(0);
  ASSERT_NE(row, kNone);
  EXPECT_EQ(trace.graph_nodes().node[row], 11U);
  ASSERT_TRUE(captures.begin_of(row).has_value());
  EXPECT_EQ(captures.begin_of(row)->time, trace.host_ranges().begin[trace.calls().range[0]]);
}

TEST_F(CollectorTest, AnInstantiationMakesClonesOnly) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    fake_cupti::call(Domain::runtime, kInstantiate, nullptr, [] {
      fake_cupti::make_node(21, 11);
      fake_cupti::make_node(22);  // CUPTI does not say of what
    });
    fake_cupti::make_node(12);
  });
  const Trace trace = read();
  EXPECT_THAT(trace.graph_nodes().node, ElementsAre(21U, 12U));
  EXPECT_THAT(trace.graph_nodes().original, ElementsAre(11U, 0U));
}

TEST_F(CollectorTest, LightLeavesNodesOfGraphsOut) {
  record([] {
    Options options;
    options.hooks.level = Level::light;
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    fake_cupti::make_node(11);
    recorder::mark(recorder::intern_name("m", 1), 0);
  });
  const Trace trace = read();
  EXPECT_EQ(trace.graph_nodes().size(), 0U);
  EXPECT_THAT(notes_about_graphs(trace), IsEmpty());
}

TEST_F(CollectorTest, ACuptiTooOldForNodesOfGraphsSaysSoOnce) {
  record([] {
    Library old = fake_cupti::library();
    old.graph_node_id = nullptr;
    ASSERT_TRUE(start_collector(old, {}));
    fake_cupti::make_node(11);
    const LaunchParameters launch{.stream = handle(7)};
    fake_cupti::call(Domain::runtime, kLaunch, &launch);
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cudaLaunchKernel"));
  EXPECT_EQ(trace.graph_nodes().size(), 0U);
  EXPECT_THAT(notes_about_graphs(trace), ElementsAre(HasSubstr("nodes of CUDA graphs")));
}

TEST_F(CollectorTest, CallbacksOfNodesThatCuptiDoesNotHaveAreNoted) {
  record([] {
    fake_cupti::state().unknown_resources = {kGraphNodeCloned};
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    recorder::mark(recorder::intern_name("m", 1), 0);
  });
  EXPECT_THAT(notes_about_graphs(read()), ElementsAre(HasSubstr("nodes of CUDA graphs")));
}

TEST_F(CollectorTest, NodesWithoutAnIdGiveNoRow) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    fake_cupti::make_node(0);
    fake_cupti::make_node(11);
  });
  EXPECT_THAT(read().graph_nodes().node, ElementsAre(11U));
}

TEST_F(CollectorTest, NodesBeyondTheBoundAreLeftOutAndThatIsSaidOnce) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    for (std::uint32_t i = 1; i <= kMaxGraphNodes + 3; ++i) fake_cupti::make_node(i);
  });
  const Trace trace = read();
  EXPECT_EQ(trace.graph_nodes().size() + trace.health().dropped_records, kMaxGraphNodes);
  EXPECT_THAT(notes_about_graphs(trace), ElementsAre(HasSubstr("over 1048576 nodes")));
}

// A rival that calls CUPTI directly gets the buffers; we get none back.
TEST_F(CollectorTest, RecordsThatStopComingAreNotTakenForAnIdleDevice) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {.hooks = {}, .flush_ms = 1}));
    const LaunchParameters launch{.stream = handle(7)};
    for (int i = 0; i < 1500; ++i) {
      fake_cupti::call(Domain::runtime, kLaunch, &launch);
      fake_cupti::state().correlation += 1000;  // calls that are not recorded
      usleep(1000);
    }
  });
  const Trace trace = read();
  EXPECT_THAT(trace.health().notes, Contains(HasSubstr("took CUPTI's buffers")));
  const Counters& counters = trace.data().counters;
  int gaps = 0;
  for (std::size_t i = 0; i < counters.size(); ++i)
    gaps += trace.text(counters.track[i]) == kCaptureTrack && counters.value[i] == 0 ? 1 : 0;
  EXPECT_EQ(gaps, 1);
}

TEST_F(CollectorTest, TheTaxingKindsStayOff) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    EXPECT_THAT(
        fake_cupti::state().enabled,
        ElementsAre(ActivityKind::memcpy, ActivityKind::memset, ActivityKind::concurrent_kernel,
                    ActivityKind::overhead, ActivityKind::memcpy_peer));
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

TEST_F(CollectorTest, AnotherToolIsNamedAndTheProgramGoesOn) {
  record([] {
    fake_cupti::state().subscribe_status = kMultipleSubscribers;
    EXPECT_FALSE(start_collector(fake_cupti::library(), {}));
    recorder::begin_range(recorder::kLaneUser, HostKind::user_scope,
                          recorder::intern_name("step", 4), 0, 0, kNoSequence);
    recorder::end_range(recorder::kLaneUser);
  });
  const Trace trace = read();
  EXPECT_THAT(trace.health().notes, Contains(HasSubstr("another tool")));
  EXPECT_FALSE(trace.collected().device_ops);
  EXPECT_EQ(trace.host_ranges().size(), 1U);
}

TEST_F(CollectorTest, WhatWasBegunIsTakenBackWhereAKindIsRefused) {
  record([] {
    fake_cupti::state().refused = {ActivityKind::concurrent_kernel};
    EXPECT_FALSE(start_collector(fake_cupti::library(), {}));
    EXPECT_THAT(fake_cupti::state().enabled, IsEmpty());
    EXPECT_FALSE(fake_cupti::state().subscribed);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

TEST_F(CollectorTest, DroppedAndTimelessRecordsAreCounted) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    const LaunchParameters launch{.stream = handle(7)};
    fake_cupti::call(Domain::runtime, kLaunch, &launch);
    fake_cupti::state().dropped = 5;
    fake_cupti::state().waiting = {fake_cupti::kernel("k", 0, 0, 7, 1)};
  });
  const Trace trace = read();
  EXPECT_EQ(trace.health().dropped_records, 5U);
  EXPECT_EQ(trace.health().zero_timestamps, 1U);
  EXPECT_EQ(trace.device_ops().size(), 0U);
}

TEST_F(CollectorTest, WhereNoBufferWasAskedForNothingIsFlushedByForce) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {.hooks = {}, .flush_ms = 1'000'000}));
    recorder::mark(recorder::intern_name("m", 1), 0);
    recorder::stop_row_sources(5);
    EXPECT_THAT(fake_cupti::state().flushes, IsEmpty());
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

TEST_F(CollectorTest, ManyRecordsAreAllWritten) {
  constexpr std::uint32_t kKernels = 3000;
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {.hooks = {}, .flush_ms = 5}));
    const LaunchParameters launch{.stream = handle(7)};
    for (std::uint32_t i = 1; i <= kKernels; ++i)
      fake_cupti::call(Domain::runtime, kLaunch, &launch);
    std::vector<FakeRecord> records;
    const auto now = static_cast<std::uint64_t>(recorder::clock_ns(CLOCK_REALTIME));
    for (std::uint32_t i = 1; i <= kKernels; ++i)
      records.emplace_back(fake_cupti::kernel("k", now + i * 1000, now + i * 1000 + 500, 7, i));
    fake_cupti::state().waiting = std::move(records);
  });
  const Trace trace = read();
  ASSERT_EQ(trace.device_ops().size(), kKernels);
  for (DeviceOpId op = 0; op < kKernels; ++op) ASSERT_NE(trace.launch_of(op), kNone) << op;
}

}  // namespace
}  // namespace stepscope::cupti
