// SPDX-License-Identifier: Apache-2.0
// What calls become in the file.
#include "collectors/cupti/call_hooks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "collectors/recorder/capture.hpp"
#include "tests/collectors/cupti/cuda_calls.hpp"

namespace stepscope::cupti {
namespace {

using testing::ElementsAre;

using CallHooksTest = RecordedChild;

TEST_F(CallHooksTest, EventsStreamsAndBytesOfCallsAreKept) {
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

// cudaStreamPerThread: more calls than the session's log has room for.
TEST_F(CallHooksTest, AThreadsOwnStreamIsOneStreamHoweverManyCallsUseIt) {
  constexpr int kCalls = 40'000;
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    const LaunchParameters launch{.stream = handle(2)};
    for (int i = 0; i < kCalls; ++i) fake_cupti::call(Domain::runtime, kLaunch, &launch);
    recorder::note("said later");
  });
  const Trace trace = read();
  EXPECT_EQ(trace.data().streams.size(), 1U);
  EXPECT_THAT(trace.calls().stream, testing::Each(0U));
  EXPECT_THAT(notes(), ElementsAre("said later"));
}

TEST_F(CallHooksTest, OnlyTheOutermostCallIsRecorded) {
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
TEST_F(CallHooksTest, CallsAreRecordedAgainBehindTheEndOfAContext) {
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

TEST_F(CallHooksTest, LightLeavesEventsOut) {
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

TEST_F(CallHooksTest, TheProfilersStartAndStopAreATrigger) {
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

}  // namespace
}  // namespace stepscope::cupti
