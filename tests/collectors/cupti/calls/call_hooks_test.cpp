// SPDX-License-Identifier: Apache-2.0
// What calls become in the file.
#include "collectors/cupti/calls/call_hooks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "collectors/recorder/capture/capture.hpp"
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
    const DriverCopyParameters inner{.count = 4096, .stream = handle(9)};
    call_both(kRecord, &event, kDriverRecord, &event);
    call_both(kWait, &wait, kDriverWait, &wait);
    call_both(kCopyAsync, &copy, kDriverCopyAsync, &inner);
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
  EXPECT_THAT(call_names(trace),
              ElementsAre("cuEventRecord", "cuStreamWaitEvent", "cuMemcpyHtoDAsync"));
  EXPECT_THAT(calls.correlation, ElementsAre(1U, 2U, 3U));
}

// cudaStreamPerThread: more calls than the session's log has room for.
TEST_F(CallHooksTest, AThreadsOwnStreamIsOneStreamHoweverManyCallsUseIt) {
  constexpr int kCalls = 40'000;
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    for (int i = 0; i < kCalls; ++i) launch(handle(2));
    recorder::note("said later");
  });
  const Trace trace = read();
  EXPECT_EQ(trace.data().streams.size(), 1U);
  EXPECT_THAT(trace.calls().stream, testing::Each(0U));
  EXPECT_THAT(notes(), ElementsAre("said later"));
}

TEST_F(CallHooksTest, TheDefaultStreamIsOneHoweverItIsNamed) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    launch(nullptr);
    launch(handle(1));  // cudaStreamLegacy
  });
  const Trace trace = read();
  EXPECT_EQ(trace.data().streams.size(), 1U);
  EXPECT_THAT(trace.calls().stream, ElementsAre(0U, 0U));
}

TEST_F(CallHooksTest, AFrequentCallIsRecordedOnceByTheDriversName) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    EXPECT_FALSE(fake_cupti::state().callbacks.contains({2, kLaunch}));
    launch();
    const DriverLaunchParameters of_a_library{.stream = handle(7)};
    fake_cupti::call(Domain::driver, kDriverLaunch, &of_a_library);
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cuLaunchKernel", "cuLaunchKernel"));
  EXPECT_THAT(trace.calls().correlation, ElementsAre(1U, 2U));
}

// As calls of the driver lie in rare ones of the runtime.
TEST_F(CallHooksTest, OnlyTheOutermostCallIsRecorded) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    call_both(kDeviceSynchronize, nullptr, kDriverSynchronize, nullptr);
    fake_cupti::call(Domain::driver, kDriverSynchronize, nullptr);
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cudaDeviceSynchronize", "cuCtxSynchronize"));
  EXPECT_THAT(trace.calls().api, ElementsAre(ApiKind::sync_device, ApiKind::sync_device));
  EXPECT_THAT(trace.calls().correlation, ElementsAre(1U, 2U));
}

TEST_F(CallHooksTest, TheLineIsThatOfTheCallAtTheDriversEntry) {
  record([] {
    Options options;
    options.hooks.call_site = line_12_of_train;
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    launch();
  });
  const Trace trace = read();
  ASSERT_EQ(trace.host_ranges().size(), 1U);
  ASSERT_NE(trace.host_ranges().site[0], kNone);
  EXPECT_EQ(trace.data().sites[trace.host_ranges().site[0]].line, 12U);
}

TEST_F(CallHooksTest, ALaunchKeepsTheCountOfBackwardNodes) {
  record([] {
    Options options;
    options.hooks.autograd_counter = []() noexcept { return std::uint64_t{3} << 32U | 41U; };
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    launch();
    const CopyParameters copy{.count = 4096, .stream = handle(9)};
    const DriverCopyParameters inner{.count = 4096, .stream = handle(9)};
    call_both(kCopyAsync, &copy, kDriverCopyAsync, &inner);
  });
  const Trace trace = read();
  const HostRanges& ranges = trace.host_ranges();
  EXPECT_THAT(ranges.sequence, ElementsAre(41U, kNoSequence));
  EXPECT_THAT(ranges.forward_thread, ElementsAre(3U, kNone));
  EXPECT_THAT(trace.calls().bytes, ElementsAre(kUnknownBytes, 4096U));
}

TEST(ApiFunctions, OnesThatLaunchKernelsAreThoseByName) {
  for (const ApiFunction& function : api_functions())
    EXPECT_EQ(launches_kernel(function), classify_api(function.name) == ApiKind::launch_kernel)
        << function.name;
}

// cudaDeviceReset ends calls whose exit is never reported.
TEST_F(CallHooksTest, CallsAreRecordedAgainBehindTheEndOfAContext) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    const DriverLaunchParameters parameters{.stream = handle(7)};
    CallbackData data{};
    data.function_params = &parameters;
    data.correlation_id = 100;
    const auto driver = static_cast<std::uint32_t>(Domain::driver);
    fake_cupti::state().callback(nullptr, driver, kDriverLaunch, &data);
    const ResourceData context{};
    fake_cupti::state().callback(nullptr, static_cast<std::uint32_t>(Domain::resource),
                                 kContextDestroyStarting, &context);
    launch();
  });
  EXPECT_THAT(read().calls().correlation, ElementsAre(100U, 1U));
}

TEST_F(CallHooksTest, LightLeavesEventsOut) {
  record([] {
    Options options;
    options.hooks.level = Level::light;
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    const EventParameters event{handle(0xe0), handle(7)};
    call_both(kRecord, &event, kDriverRecord, &event);
    launch();
  });
  const Trace trace = read();
  EXPECT_THAT(call_names(trace), ElementsAre("cuLaunchKernel"));
  EXPECT_FALSE(trace.collected().api_arguments);
}

TEST_F(CallHooksTest, TheProfilersStartAndStopAreATrigger) {
  record([] {
    Options options;
    options.hooks.profiler_control = true;
    recorder::plan_capture({.by_trigger = true}, nullptr);
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    EXPECT_FALSE(recorder::is_capturing());
    fake_cupti::call(Domain::runtime, kRuntimeProfilerStart, nullptr);
    for (int i = 0; i < 500 && !recorder::is_capturing(); ++i) usleep(10'000);
    EXPECT_TRUE(recorder::is_capturing());
    fake_cupti::call(Domain::runtime, kRuntimeProfilerStop, nullptr);
    EXPECT_FALSE(recorder::is_capturing());
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

}  // namespace
}  // namespace stepscope::cupti
