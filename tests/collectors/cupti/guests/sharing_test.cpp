// SPDX-License-Identifier: Apache-2.0
// Another user of CUPTI beside the collector, over a fake CUPTI, each case in a forked child that
// fails by its exit status.
#include "collectors/cupti/guests/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "collectors/recorder/process_state.hpp"
#include "tests/collectors/cupti/cuda_calls.hpp"

namespace stepscope::cupti {
namespace {

using fake_cupti::state;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint32_t kRuntime = 2, kDriver = 1, kUnlisted = 900;

// A second user of CUPTI, as torch.profiler is one.
struct Guest {
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(std::size_t{1} << 16U);
  bool holds = false;
  int requests = 0;
  std::vector<KernelRecord> kernels;
  std::vector<std::uint32_t> calls;
};
Guest& guest() {
  static Guest& leaked = *new Guest;
  return leaked;
}

void give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  EXPECT_FALSE(guest().holds);
  guest().holds = true;
  ++guest().requests;
  *buffer = guest().memory.data();
  *bytes = 2048;  // a few records
  *records = 0;
}

void take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  EXPECT_EQ(buffer, guest().memory.data());
  guest().holds = false;
  for (std::size_t at = 0; at < valid; at += 256) {
    guest().kernels.emplace_back();
    std::memcpy(&guest().kernels.back(), buffer + at, sizeof(KernelRecord));
  }
}

void on_guest_call(void*, std::uint32_t, std::uint32_t id, const void*) {
  guest().calls.push_back(id);
}

std::uint64_t doubled_clock() {
  return 2 * now_ns();
}

class SharingTest : public RecordedChild {
 protected:
  // With the collector at work, which has seen one launch.
  void collect(const std::function<void()>& body) {
    record([&body] {
      const Options options{.hooks = {}, .flush_ms = 1'000'000};
      if (!start_collector(fake_cupti::library(), options)) _exit(98);
      launch();
      body();
    });
  }
};

void begin_guest() {
  EXPECT_EQ(shared::register_buffers(give_buffer, take_buffer), kSuccess);
  EXPECT_EQ(shared::enable(ActivityKind::concurrent_kernel), kSuccess);
}

FakeRecord kernel_now(std::uint32_t correlation) {
  const std::uint64_t now = now_ns();
  return fake_cupti::kernel("k", now, now + 500, 7, correlation);
}

TEST_F(SharingTest, RecordsGoToBoth) {
  collect([] {
    begin_guest();
    for (std::uint32_t i = 0; i < 20; ++i) state().waiting.push_back(kernel_now(i));
    EXPECT_EQ(shared::flush_all(kFlushAll), kSuccess);
    EXPECT_EQ(guest().kernels.size(), 20U);
    EXPECT_EQ(guest().kernels[19].correlation, 19U);
  });
  EXPECT_EQ(read().device_ops().size(), 20U);
}

TEST_F(SharingTest, TheGuestHoldsABufferWhileAKindIsOn) {
  collect([] {
    begin_guest();
    EXPECT_TRUE(guest().holds);
    shared::flush_all(kFlushCompleted);
    EXPECT_TRUE(guest().holds);
    EXPECT_EQ(guest().requests, 2);
    shared::disable(ActivityKind::concurrent_kernel);
    shared::flush_all(kFlushCompleted);
    EXPECT_FALSE(guest().holds);
  });
}

TEST_F(SharingTest, TheGuestGetsItsKindsAndItsTimeOnly) {
  collect([] {
    FakeRecord early = kernel_now(1);
    begin_guest();
    const std::uint64_t now = now_ns();
    state().waiting = {early, kernel_now(2), fake_cupti::set(64, now, now + 10, 3)};
    state().flush();
    shared::disable(ActivityKind::concurrent_kernel);
    state().waiting = {kernel_now(4)};
    shared::flush_all(kFlushAll);
    ASSERT_EQ(guest().kernels.size(), 1U);
    EXPECT_EQ(guest().kernels[0].correlation, 2U);
  });
  EXPECT_EQ(read().device_ops().size(), 4U);
}

TEST_F(SharingTest, OursStaysOnWhenTheGuestLeaves) {
  collect([] {
    begin_guest();
    shared::enable(ActivityKind::runtime);
    EXPECT_THAT(state().enabled, Contains(ActivityKind::runtime));
    shared::disable(ActivityKind::runtime);
    EXPECT_EQ(shared::finalize(), kSuccess);
    EXPECT_THAT(state().enabled, Contains(ActivityKind::concurrent_kernel));
    EXPECT_THAT(state().enabled, Not(Contains(ActivityKind::runtime)));
    EXPECT_TRUE(state().subscribed);
    state().waiting = {kernel_now(9)};
  });
  const Trace trace = read();
  EXPECT_EQ(trace.device_ops().size(), 1U);
  EXPECT_THAT(trace.health().notes, Contains(HasSubstr("another profiler of the program")));
}

TEST_F(SharingTest, TheGuestsClockIsKeptFromCuptiAndItsTimesAreConverted) {
  collect([] {
    EXPECT_EQ(shared::register_clock(doubled_clock), kSuccess);
    begin_guest();
    usleep(20'000);
    const std::uint64_t now = now_ns();
    state().waiting = {fake_cupti::kernel("k", now, now + 1000, 7, 1)};
    shared::flush_all(kFlushAll);
    ASSERT_EQ(guest().kernels.size(), 1U);
    const KernelRecord& got = guest().kernels[0];
    EXPECT_NEAR(static_cast<double>(static_cast<std::int64_t>(got.start - 2 * now)), 0, 400'000);
    EXPECT_NEAR(static_cast<double>(got.end - got.start), 2000, 10);
    EXPECT_EQ(got.queued, 0U);
  });
  const Trace trace = read();
  ASSERT_EQ(trace.device_ops().size(), 1U);
  EXPECT_EQ(trace.device_ops().end[0] - trace.device_ops().begin[0], 1000);
}

TEST_F(SharingTest, CallbacksGoToBoth) {
  collect([] {
    Subscriber subscriber = nullptr, third = nullptr;
    EXPECT_EQ(shared::subscribe(&subscriber, on_guest_call, nullptr), kSuccess);
    EXPECT_EQ(shared::subscribe(&third, on_guest_call, nullptr), kMultipleSubscribers);
    shared::enable_callback(1, subscriber, kRuntime, kUnlisted);
    fake_cupti::call(Domain::runtime, kUnlisted, nullptr);
    launch();
    EXPECT_THAT(guest().calls, ElementsAre(kUnlisted, kUnlisted));
    shared::enable_callback(0, subscriber, kRuntime, kUnlisted);
    EXPECT_THAT(state().callbacks, Not(Contains(std::pair(kRuntime, kUnlisted))));
  });
  EXPECT_EQ(read().calls().size(), 2U);
}

// It may want calls of the runtime that we leave to the driver: they are no records of ours.
TEST_F(SharingTest, TheGuestsCallbacksOfTheRuntimeAddNoRecord) {
  collect([] {
    Subscriber subscriber = nullptr;
    shared::subscribe(&subscriber, on_guest_call, nullptr);
    shared::enable_callback(1, subscriber, kRuntime, kLaunch);
    launch();
    EXPECT_THAT(guest().calls, ElementsAre(kLaunch, kLaunch));
    shared::enable_callback(0, subscriber, kRuntime, kLaunch);
    EXPECT_THAT(state().callbacks, Not(Contains(std::pair(kRuntime, kLaunch))));
  });
  EXPECT_THAT(call_names(read()), ElementsAre("cuLaunchKernel", "cuLaunchKernel"));
}

TEST_F(SharingTest, OurCallbacksStayOnWhenTheGuestSwitchesADomainOff) {
  collect([] {
    Subscriber subscriber = nullptr;
    shared::subscribe(&subscriber, on_guest_call, nullptr);
    shared::enable_domain(1, subscriber, kDriver);
    launch();
    EXPECT_EQ(guest().calls.size(), 2U);
    EXPECT_EQ(shared::unsubscribe(subscriber), kSuccess);
    launch();
    EXPECT_EQ(guest().calls.size(), 2U);
    EXPECT_THAT(state().callbacks, Contains(std::pair(kDriver, kDriverLaunch)));
  });
  EXPECT_EQ(read().calls().size(), 3U);
}

void switch_nothing(bool) {}

// By plan nothing of ours is on, and the guest neither loses nor leaves anything.
TEST_F(SharingTest, AGuestThatEndsWhileOursIsOffLeavesNothingOn) {
  collect([] {
    begin_guest();
    switch_ours(false, switch_nothing);
    EXPECT_THAT(state().enabled, ElementsAre(ActivityKind::concurrent_kernel));
    shared::disable(ActivityKind::concurrent_kernel);
    EXPECT_THAT(state().enabled, IsEmpty());
    begin_guest();
    EXPECT_THAT(state().enabled, ElementsAre(ActivityKind::concurrent_kernel));
    switch_ours(true, switch_nothing);
    EXPECT_EQ(state().enabled.size(), 5U);
  });
}

TEST_F(SharingTest, HooksStayOnWhileTheGuestHasOneOfOurKinds) {
  collect([] {
    static int switched_off = 0;
    const auto count = [](bool on) { switched_off += on ? 0 : 1; };
    begin_guest();
    switch_ours(false, count);
    EXPECT_EQ(switched_off, 0);
    shared::disable(ActivityKind::concurrent_kernel);
    switch_ours(false, count);
    EXPECT_EQ(switched_off, 1);
  });
}

TEST_F(SharingTest, TheGuestsCallbacksComeAlsoWhereOursAreOff) {
  collect([] {
    Subscriber subscriber = nullptr;
    shared::subscribe(&subscriber, on_guest_call, nullptr);
    shared::enable_callback(1, subscriber, kDriver, kDriverLaunch);
    switch_ours(false, switch_hooks);
    launch();
    EXPECT_EQ(guest().calls.size(), 2U);
    shared::enable_callback(0, subscriber, kDriver, kDriverLaunch);
    EXPECT_THAT(state().callbacks, Not(Contains(std::pair(kDriver, kDriverLaunch))));
  });
}

// The guest's own statics, with its buffers, go right behind what it registered: our last flush
// comes later.
TEST_F(SharingTest, AGuestThatIsGoneIsNotWrittenTo) {
  collect([] {
    std::atexit([] {
      state().waiting = {kernel_now(1)};
      state().flush();
      if (guest().memory.front() != 0) _exit(1);
    });
    begin_guest();
    std::exit(HasFailure() ? 1 : 0);
  });
}

// Calls that a guest makes from each of its functions.
void call_back() {
  shared::enable(ActivityKind::memset);
  shared::disable(ActivityKind::memset);
  shared::flush_all(kFlushCompleted);
}

void give_buffer_and_call_back(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  give_buffer(buffer, bytes, records);
  call_back();
}

void take_buffer_and_call_back(void* context, std::uint32_t stream, std::uint8_t* buffer,
                               std::size_t bytes, std::size_t valid) {
  take_buffer(context, stream, buffer, bytes, valid);
  call_back();
}

std::uint64_t clock_that_calls_back() {
  call_back();
  return now_ns();
}

// Where a call waits for itself, the alarm ends the child.
TEST_F(SharingTest, AGuestMayCallBackFromItsFunctions) {
  collect([] {
    alarm(120);
    shared::register_buffers(give_buffer_and_call_back, take_buffer_and_call_back);
    shared::register_clock(clock_that_calls_back);
    shared::enable(ActivityKind::concurrent_kernel);
    for (std::uint32_t i = 0; i < 20; ++i) state().waiting.push_back(kernel_now(i));
    state().flush();
    state().waiting.push_back(kernel_now(20));
    shared::flush_all(kFlushAll);
    ASSERT_EQ(guest().kernels.size(), 21U);
    for (std::uint32_t i = 0; i < 21; ++i) EXPECT_EQ(guest().kernels[i].correlation, i);
    shared::disable(ActivityKind::concurrent_kernel);
    shared::flush_all(kFlushAll);
    EXPECT_FALSE(guest().holds);
  });
  EXPECT_EQ(read().device_ops().size(), 21U);
}

// State of a guest that is inside its function, and stays there until it may leave.
std::atomic<bool> is_inside{false}, may_leave{false}, has_left{false};

void give_buffer_when_released(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  is_inside = true;
  is_inside.notify_all();
  may_leave.wait(false);
  usleep(10'000);  // so that who does not wait for it is seen
  give_buffer(buffer, bytes, records);
  has_left = true;
}

void be_told() {
  may_leave = true;
  may_leave.notify_all();
}

std::thread guest_inside() {
  EXPECT_EQ(shared::register_buffers(give_buffer_when_released, take_buffer), kSuccess);
  std::thread thread([] { shared::enable(ActivityKind::concurrent_kernel); });
  is_inside.wait(false);
  return thread;
}

// Which may wait in it for what this thread does next.
TEST_F(SharingTest, AGuestsFunctionHoldsNoOtherThreadUp) {
  collect([] {
    alarm(120);
    std::thread thread = guest_inside();
    shared::enable(ActivityKind::memset);
    shared::disable(ActivityKind::memset);
    state().waiting = {kernel_now(1)};
    state().flush();
    EXPECT_FALSE(has_left);
    be_told();
    shared::flush_all(kFlushAll);
    EXPECT_TRUE(has_left);
    thread.join();
    ASSERT_EQ(guest().kernels.size(), 1U);
    EXPECT_EQ(guest().kernels[0].correlation, 1U);
  });
}

// Ours that drops it comes between the two, the last that was registered first.
TEST_F(SharingTest, BehindTheGuestsEndNoFunctionOfItRuns) {
  collect([] {
    alarm(120);
    std::atexit([] {
      if (!has_left) _exit(1);
      if (HasFailure()) _exit(2);
    });
    guest_inside().detach();
    std::atexit(be_told);
    std::exit(0);
  });
}

TEST_F(SharingTest, AForkedChildEndsWhileTheGuestIsInItsFunction) {
  collect([] {
    std::thread thread = guest_inside();
    const pid_t child = fork();
    if (child == 0) {
      alarm(120);
      std::exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    be_told();
    thread.join();
  });
}

TEST_F(SharingTest, AForkedChildIsNotServed) {
  collect([] {
    EXPECT_TRUE(serving());
    const pid_t child = fork();
    if (child == 0) _exit(serving() ? 1 : 0);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
}

TEST(Sharing, NobodyIsServedWhereNothingIsCollected) {
  EXPECT_FALSE(serving());
}

}  // namespace
}  // namespace stepscope::cupti
