// SPDX-License-Identifier: Apache-2.0
// What becomes of device records, and when kinds are on.
#include "collectors/cupti/records/activity_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "collectors/recorder/capture/capture.hpp"
#include "collectors/recorder/clock.hpp"
#include "tests/collectors/cupti/cuda_calls.hpp"

namespace stepscope::cupti {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

using ActivitySourceTest = RecordedChild;

TEST_F(ActivitySourceTest, APlanSwitchesKindsAndCallsOffAndOn) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    recorder::plan_capture({.by_trigger = true}, nullptr);
    recorder::begin_range(recorder::kLaneUser, HostKind::user_scope, recorder::intern_name("r", 1),
                          0, 0, kNoSequence);
    recorder::end_range(recorder::kLaneUser);
    const auto wait_for_kinds = [](bool on) {
      for (int i = 0; i < 500 && fake_cupti::state().enabled.empty() == on; ++i) usleep(10'000);
      EXPECT_EQ(fake_cupti::state().enabled.empty(), !on);
    };
    wait_for_kinds(false);
    usleep(50'000);  // callbacks go off behind the kinds
    EXPECT_FALSE(fake_cupti::state().callbacks.contains({1, kDriverLaunch}));
    recorder::trigger_capture(true);
    wait_for_kinds(true);
    EXPECT_EQ(launch(), 1U);
    recorder::trigger_capture(false);
    wait_for_kinds(false);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

std::uint32_t launch_graph() {
  const EventParameters parameters{handle(0x6000), handle(0x7000)};
  return fake_cupti::call(Domain::driver, kDriverGraphLaunch, &parameters);
}

FakeRecord node_of(std::uint32_t launch) {
  KernelRecord record = fake_cupti::kernel("node", 100, 200, 7, launch);
  record.graph = 3;
  record.graph_node = 11;
  return record;
}

// Nothing flushes by itself.
class ClosingTest : public RecordedChild {
 protected:
  void record_part(const std::function<void()>& body) {
    record([&] {
      ASSERT_TRUE(start_collector(fake_cupti::library(), {.hooks = {}, .flush_ms = 100'000}));
      recorder::plan_capture({.by_trigger = true}, nullptr);
      recorder::trigger_capture(true);
      body();
    });
  }
};

TEST_F(ClosingTest, WaitsUntilTheLastGraphLaunchIsDone) {
  record_part([] {
    const std::uint32_t launched = launch_graph();
    std::thread device([launched] {
      for (int i = 0; i < 500 && fake_cupti::state().flushes < 5; ++i) usleep(1'000);
      fake_cupti::state().waiting = {node_of(launched)};
    });
    recorder::trigger_capture(false);
    EXPECT_GE(fake_cupti::state().flushes, 5U);
    EXPECT_EQ(fake_cupti::state().waiting.size(), 0U) << "taken before the program goes on";
    EXPECT_TRUE(fake_cupti::state().enabled.empty());
    device.join();
    if (testing::Test::HasFailure()) _exit(1);
  });
  EXPECT_EQ(read().device_ops().size(), 1U);
}

TEST_F(ClosingTest, AsksForNothingWhereNoGraphWasLaunched) {
  record_part([] {
    EXPECT_NE(launch(), 0U);
    recorder::trigger_capture(false);
    EXPECT_EQ(fake_cupti::state().flushes, 0U);
    if (testing::Test::HasFailure()) _exit(1);
  });
}

TEST_F(ClosingTest, GoesOnWhereTheDeviceTakesTooLongAndSaysSo) {
  record_part([] {
    launch_graph();
    const std::int64_t begin = recorder::clock_ns(CLOCK_MONOTONIC);
    recorder::trigger_capture(false);
    EXPECT_GE(recorder::clock_ns(CLOCK_MONOTONIC) - begin, 100'000'000);
    if (testing::Test::HasFailure()) _exit(1);
  });
  EXPECT_THAT(read().health().notes, Contains(HasSubstr("launches of CUDA graphs were queued")));
}

std::size_t flushes_within(int milliseconds) {
  const std::size_t before = fake_cupti::state().flushes.load();
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
  return fake_cupti::state().flushes.load() - before;
}

// XLA's graphs do not bear it. What is in the buffers comes at the end.
TEST_F(ActivitySourceTest, CuptiIsNotAskedForRecordsAfterItWasSaidSo) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {.hooks = {}, .flush_ms = 1}));
    launch();
    for (int i = 0; i < 500 && fake_cupti::state().flushes == 0; ++i) usleep(10'000);
    EXPECT_GT(fake_cupti::state().flushes, 0U);
    stop_asking_for_records();
    (void)flushes_within(50);  // one may be under way
    fake_cupti::state().waiting = {fake_cupti::kernel("late", 100, 200, 7, 1)};
    EXPECT_EQ(flushes_within(100), 0U);
    if (testing::Test::HasFailure()) _exit(1);
  });
  EXPECT_EQ(read().device_ops().size(), 1U);
}

// What STEPSCOPE_WINDOW_LAYERS measures.
TEST_F(ActivitySourceTest, LayersDifferByTheirCallbacks) {
  record([] {
    Options options;
    options.layers = options.hooks.layers = true;
    ASSERT_TRUE(start_collector(fake_cupti::library(), options));
    ActivitySource source(fake_cupti::library(), options);
    const auto& on = fake_cupti::state().callbacks;
    EXPECT_FALSE(on.contains({2, kLaunch}));
    std::vector<std::string> turns;
    for (int turn = 1; turn <= 6; ++turn) {
      EXPECT_EQ(source.set_capturing(true), (turn - 1) % 5 + 1);
      turns.push_back(std::string(on.contains({2, kLaunch}) ? "runtime " : "") +
                      (on.contains({1, kDriverLaunch}) ? "driver " : "") +
                      (on.contains({1, kDriverRecord}) ? "events" : ""));
      source.set_capturing(false);
      EXPECT_FALSE(on.contains({2, kLaunch}) || on.contains({1, kDriverLaunch}));
    }
    EXPECT_THAT(turns, ElementsAre("driver events", "", "driver ", "driver ",
                                   "runtime driver events", "driver events"));
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

// A rival that calls CUPTI directly gets the buffers; we get none back.
TEST_F(ActivitySourceTest, RecordsThatStopComingAreNotTakenForAnIdleDevice) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {.hooks = {}, .flush_ms = 1}));
    for (int i = 0; i < 1500; ++i) {
      launch();
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

TEST_F(ActivitySourceTest, DroppedAndTimelessRecordsAreCounted) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {}));
    launch();
    fake_cupti::state().dropped = 5;
    fake_cupti::state().waiting = {fake_cupti::kernel("k", 0, 0, 7, 1)};
  });
  const Trace trace = read();
  EXPECT_EQ(trace.health().dropped_records, 5U);
  EXPECT_EQ(trace.health().zero_timestamps, 1U);
  EXPECT_EQ(trace.device_ops().size(), 0U);
}

TEST_F(ActivitySourceTest, WhereNoBufferWasAskedForNothingIsFlushedByForce) {
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {.hooks = {}, .flush_ms = 1'000'000}));
    recorder::mark(recorder::intern_name("m", 1), 0);
    recorder::stop_row_sources(5);
    EXPECT_EQ(fake_cupti::state().flushes, 0U);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
}

TEST_F(ActivitySourceTest, ManyRecordsAreAllWritten) {
  constexpr std::uint32_t kKernels = 3000;
  record([] {
    ASSERT_TRUE(start_collector(fake_cupti::library(), {.hooks = {}, .flush_ms = 5}));
    for (std::uint32_t i = 1; i <= kKernels; ++i) launch();
    std::vector<FakeRecord> records;
    const std::uint64_t now = now_ns();
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
