// SPDX-License-Identifier: Apache-2.0
// Start and failures, over a fake CUPTI and the real recorder.
#include "collectors/cupti/collector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "collectors/recorder/capture/capture.hpp"
#include "tests/collectors/cupti/cuda_calls.hpp"

namespace stepscope::cupti {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using CollectorTest = RecordedChild;

TEST_F(CollectorTest, ALaunchIsTiedToItsKernelByCorrelation) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    const std::uint32_t correlation = launch();
    const std::uint64_t start = now_ns();
    fake_cupti::state().waiting = {fake_cupti::kernel("gemm", start, start + 500, 7, correlation)};
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cuLaunchKernel"));
  EXPECT_THAT(trace.calls().api, ElementsAre(ApiKind::launch_kernel));
  ASSERT_EQ(trace.device_ops().size(), 1U);
  EXPECT_EQ(trace.launch_of(0), 0U);
  EXPECT_EQ(trace.calls().stream[0], trace.device_ops().stream[0]);
  EXPECT_TRUE(trace.collected().device_ops);
  EXPECT_TRUE(trace.collected().api_calls);
  EXPECT_TRUE(trace.collected().api_arguments);
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

const std::pair kNodeCreated{static_cast<std::uint32_t>(Domain::resource),
                             std::uint32_t{kGraphNodeCreated}};
const std::pair kNodeCloned{static_cast<std::uint32_t>(Domain::resource),
                            std::uint32_t{kGraphNodeCloned}};

// Nothing is asked of nodes, within no call of the program.
TEST_F(CollectorTest, AWholeGraphIsOneOpOfItsLaunchAndItsNodesAreLeftAlone) {
  record([] {
    Options options;
    options.hooks.whole_graphs = true;
    Library library = fake_cupti::library();
    library.graph_node_id = [](void*, std::uint64_t*) -> Status { std::abort(); };
    ASSERT_TRUE(start_collector(library, options));
    EXPECT_THAT(fake_cupti::state().enabled, Contains(ActivityKind::graph_trace));
    EXPECT_FALSE(fake_cupti::state().callbacks.contains(kNodeCreated));
    EXPECT_FALSE(fake_cupti::state().callbacks.contains(kNodeCloned));
    const EventParameters stream{handle(7), handle(7)};
    fake_cupti::make_node(11);
    const std::uint32_t replay = call_both(kGraphLaunch, &stream, kDriverGraphLaunch, &stream);
    const std::uint64_t start = now_ns();
    fake_cupti::state().waiting = {fake_cupti::graph(3, start, start + 500, replay)};
  });
  const Trace trace = read();
  EXPECT_THAT(trace.device_ops().kind, ElementsAre(DeviceOpKind::graph));
  EXPECT_EQ(trace.launch_of(0), 0U);
  EXPECT_EQ(trace.graph_nodes().size(), 0U);
  EXPECT_THAT(trace.health().notes, Not(Contains(HasSubstr("CUDA graphs"))));
}

TEST_F(CollectorTest, GraphsThatCuptiDoesNotRecordWholeAreNotedAndTheRestIsRecorded) {
  record([] {
    Options options;
    options.hooks.whole_graphs = true;
    fake_cupti::state().refused = {ActivityKind::graph_trace};
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    launch();
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cuLaunchKernel"));
  EXPECT_THAT(trace.health().notes, Contains(HasSubstr("it records their nodes")));
}

TEST_F(CollectorTest, PartsThatAreLeftOutAreNeitherAskedForNorCalled) {
  record([] {
    Options options;
    leave_out(options.hooks.parts, "records,calls,graph_nodes,resources,overhead,flush");
    options.flush_ms = 1;
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    EXPECT_THAT(fake_cupti::state().callbacks, IsEmpty());
    EXPECT_THAT(fake_cupti::state().ever_enabled, IsEmpty());
    recorder::mark(recorder::intern_name("m", 1), 0);
    usleep(300'000);
    EXPECT_EQ(fake_cupti::state().flushes, 0U);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

TEST_F(CollectorTest, WithoutStreamsACallIsRecordedWithoutItsStream) {
  record([] {
    Options options;
    leave_out(options.hooks.parts, "streams,lines");
    options.hooks.call_site = line_12_of_train;
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    launch();
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cuLaunchKernel"));
  EXPECT_THAT(trace.calls().stream, ElementsAre(kNone));
  EXPECT_THAT(trace.host_ranges().site, ElementsAre(kNone));
}

// Once a kind was on, launches stay slower; and later a thread might be in a call.
TEST_F(CollectorTest, NothingIsSwitchedOnBeforeThePlanBegins) {
  record([] {
    recorder::plan_capture({.by_trigger = true}, nullptr);
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    EXPECT_THAT(fake_cupti::state().ever_enabled, IsEmpty());
    const std::pair launch{static_cast<std::uint32_t>(Domain::driver),
                           std::uint32_t{kDriverLaunch}};
    EXPECT_FALSE(fake_cupti::state().callbacks.contains(launch));
    recorder::trigger_capture(true);
    EXPECT_THAT(fake_cupti::state().enabled, Contains(ActivityKind::concurrent_kernel));
    EXPECT_TRUE(fake_cupti::state().callbacks.contains(launch));
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

TEST_F(CollectorTest, AKindThatIsRefusedWhenThePlanBeginsIsNoted) {
  record([] {
    recorder::plan_capture({.by_trigger = true}, nullptr);
    fake_cupti::state().refused = {ActivityKind::concurrent_kernel};
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    recorder::trigger_capture(true);
    recorder::trigger_capture(false);
    recorder::trigger_capture(true);
  });
  EXPECT_THAT(read().health().notes,
              ElementsAre(HasSubstr("cuptiActivityEnable failed"), HasSubstr("run.json")));
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

}  // namespace
}  // namespace stepscope::cupti
