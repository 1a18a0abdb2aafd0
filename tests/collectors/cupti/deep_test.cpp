// SPDX-License-Identifier: Apache-2.0
// What level deep adds, over a fake CUPTI and the real recorder, each case in a forked child.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "collectors/cupti/calls/call_hooks.hpp"
#include "collectors/cupti/guests/sharing.hpp"
#include "collectors/recorder/capture/capture.hpp"
#include "core/attribution/host/host_cause.hpp"
#include "core/model/api_kind.hpp"
#include "tests/collectors/cupti/cuda_calls.hpp"

namespace stepscope::cupti {
namespace {

using fake_cupti::state;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr std::uint32_t kRuntime = 2, kDriver = 1;
constexpr std::uint32_t kGetDevice = 17, kReset = 164, kPrefetch = 409;
constexpr std::uint32_t kMemGetInfo = 45, kGetCurrent = 304;

Options deep() {
  Options options;
  options.hooks.level = Level::deep;
  return options;
}

class DeepTest : public RecordedChild {
 protected:
  void collect(const std::function<void()>& body, const Options& options = deep(),
               std::uint32_t version = 130001) {
    record([&] {
      state().version = version;
      if (!start_collector(fake_cupti::library(), options)) _exit(98);
      body();
    });
  }

  std::vector<std::string> call_names() { return cupti::call_names(read()); }
};

TEST_F(DeepTest, EveryCallIsRecordedOnceByItsPlainName) {
  collect([] {
    launch();
    fake_cupti::call(Domain::runtime, kPrefetch, nullptr);
    fake_cupti::call(Domain::driver, kMemGetInfo, nullptr);
  });
  EXPECT_THAT(call_names(),
              ElementsAre("cudaLaunchKernel", "cudaMemPrefetchAsync", "cuMemGetInfo"));
  const Trace trace = read();
  EXPECT_THAT(trace.calls().correlation, ElementsAre(1U, 0U, 0U));  // none launches by itself
  const auto& kinds = trace.host_ranges().kind;
  EXPECT_THAT(kinds,
              ElementsAre(HostKind::runtime_call, HostKind::runtime_call, HostKind::driver_call));
  EXPECT_THAT(trace.host_ranges().thread, Each(trace.host_ranges().thread[0]));
}

TEST_F(DeepTest, CallsOutsideOfTheListHaveTheirLine) {
  Options options = deep();
  options.hooks.call_site = line_12_of_train;
  collect([] { fake_cupti::call(Domain::driver, kMemGetInfo, nullptr); }, options);
  const Trace trace = read();
  ASSERT_EQ(trace.host_ranges().size(), 1U);
  ASSERT_NE(trace.host_ranges().site[0], kNone);
  EXPECT_EQ(trace.data().sites[trace.host_ranges().site[0]].line, 12U);
}

TEST_F(DeepTest, StandardRecordsTheListAlone) {
  collect(
      [] {
        EXPECT_THAT(state().callbacks, Not(Contains(std::pair(kDriver, kMemGetInfo))));
        launch();
        fake_cupti::call(Domain::driver, kMemGetInfo, nullptr);
      },
      {});
  EXPECT_THAT(call_names(), ElementsAre("cuLaunchKernel"));
}

TEST_F(DeepTest, NoiseAndTheProfilersSwitchesAreLeftOut) {
  collect([] {
    for (const auto& off : {std::pair(kRuntime, kGetDevice), std::pair(kDriver, kGetCurrent),
                            std::pair(kRuntime, kRuntimeProfilerStop), std::pair(kDriver, 0U)})
      EXPECT_THAT(state().callbacks, Not(Contains(off)));
    fake_cupti::call(Domain::runtime, kGetDevice, nullptr);
    launch();
  });
  EXPECT_THAT(call_names(), ElementsAre("cudaLaunchKernel"));
}

// A launch's own inner calls would hide it; those of other calls are their own business too.
TEST_F(DeepTest, InnerCallsAreLeftOutUnlessTheyAreListed) {
  collect([] {
    launch(handle(7), [] { fake_cupti::call(Domain::driver, kMemGetInfo, nullptr); });
    fake_cupti::call(Domain::runtime, kPrefetch, nullptr, [] {
      fake_cupti::call(Domain::driver, kMemGetInfo, nullptr);
      const DriverLaunchParameters inner;
      fake_cupti::call(Domain::driver, kDriverLaunch, &inner,
                       [] { fake_cupti::call(Domain::driver, kMemGetInfo, nullptr); });
    });
  });
  EXPECT_THAT(call_names(),
              ElementsAre("cudaLaunchKernel", "cudaMemPrefetchAsync", "cuLaunchKernel"));
  const Trace trace = read();
  const HostRanges& ranges = trace.host_ranges();
  EXPECT_GE(ranges.begin[2], ranges.begin[1]);
  EXPECT_LE(ranges.end[2], ranges.end[1]);
}

// cudaDeviceReset: what is open ends with the context, and its own end may still be reported.
TEST_F(DeepTest, ACallThatEndsItsContextEndsOnce) {
  collect([] {
    fake_cupti::call(Domain::runtime, kReset, nullptr, [] {
      const ResourceData context{};
      state().callback(nullptr, static_cast<std::uint32_t>(Domain::resource),
                       kContextDestroyStarting, &context);
    });
    launch();
  });
  EXPECT_THAT(call_names(), ElementsAre("cudaDeviceReset", "cudaLaunchKernel"));
}

TEST_F(DeepTest, CallsOfThreadsOfOursAreNotThePrograms) {
  collect([] {
    std::thread([] {
      leave_out_this_thread();
      fake_cupti::call(Domain::driver, kMemGetInfo, nullptr);
      launch();
    }).join();
    fake_cupti::call(Domain::driver, kMemGetInfo, nullptr);
  });
  EXPECT_THAT(call_names(), ElementsAre("cuMemGetInfo"));
}

TEST_F(DeepTest, ACuptiThatNamesNoCallsSaysSoAndRecordsTheList) {
  record([] {
    Library old = fake_cupti::library();
    old.callback_name = nullptr;
    ASSERT_TRUE(start_collector(old, deep()));
    fake_cupti::call(Domain::driver, kMemGetInfo, nullptr);
    launch();
  });
  EXPECT_THAT(call_names(), ElementsAre("cudaLaunchKernel"));
  EXPECT_THAT(notes(), Contains(HasSubstr("does not name its calls")));
}

TEST_F(DeepTest, APlanSwitchesAllCallsOffAndOn) {
  collect([] {
    switch_ours(false, switch_hooks);
    EXPECT_THAT(state().enabled, IsEmpty());  // compilation too
    for (const auto& id : {std::pair(kRuntime, kPrefetch), std::pair(kDriver, kMemGetInfo),
                           std::pair(kRuntime, kLaunch)})
      EXPECT_THAT(state().callbacks, Not(Contains(id)));
    switch_ours(true, switch_hooks);
    EXPECT_THAT(state().enabled, Contains(ActivityKind::jit));
    fake_cupti::call(Domain::driver, kMemGetInfo, nullptr);
    launch();
  });
  EXPECT_THAT(call_names(), ElementsAre("cuMemGetInfo", "cudaLaunchKernel"));
}

// Its records of calls are its own: none of them becomes a row of ours.
TEST_F(DeepTest, AGuestsRecordsOfCallsAreNotOurs) {
  static std::uint8_t memory[4096];
  static std::size_t taken = 0;
  collect([] {
    shared::register_buffers(
        [](std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
          *buffer = memory;
          *bytes = sizeof memory;
          *records = 0;
        },
        [](void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t valid) {
          taken += valid;
        });
    EXPECT_EQ(shared::enable(ActivityKind::runtime), kSuccess);
    fake_cupti::call(Domain::runtime, kPrefetch, nullptr);
    CallRecord call{};
    call.kind = ActivityKind::runtime;
    call.id = kPrefetch;
    call.start = static_cast<std::uint64_t>(recorder::clock_ns(CLOCK_REALTIME));
    call.end = call.start + 100;
    call.correlation = 1;
    state().waiting = {call};
    EXPECT_EQ(shared::flush_all(kFlushAll), kSuccess);
    EXPECT_EQ(taken, 256U);
    shared::disable(ActivityKind::runtime);
    EXPECT_THAT(state().enabled, Not(Contains(ActivityKind::runtime)));
  });
  EXPECT_THAT(call_names(), ElementsAre("cudaMemPrefetchAsync"));
}

JitRecord jit(std::uint32_t operation, std::uint32_t entry, std::uint64_t start) {
  JitRecord record{};
  record.kind = ActivityKind::jit;
  record.operation = operation;
  record.entry = entry;
  record.start = start;
  record.end = start + 1000;
  record.thread = static_cast<std::uint32_t>(gettid());
  return record;
}

TEST_F(DeepTest, CompilationIsOnItsThread) {
  collect([] {
    EXPECT_THAT(state().enabled, Contains(ActivityKind::jit));
    launch();
    const auto now = static_cast<std::uint64_t>(recorder::clock_ns(CLOCK_REALTIME));
    state().waiting = {jit(kJitCompile, 1, now), jit(kJitCompile, 2, now + 2000),
                       jit(kJitCacheStore, 1, now + 4000), jit(kJitCacheLoad, 1, now + 6000),
                       jit(kJitCompile, 1, 0)};
  });
  const Trace trace = read();
  std::vector<std::string> names;
  for (RangeId r = 0; r < trace.host_ranges().size(); ++r) {
    if (trace.host_ranges().kind[r] != HostKind::overhead) continue;
    names.emplace_back(trace.text(trace.host_ranges().name[r]));
    EXPECT_EQ(cause_of_overhead(names.back()), Cause::host_module_load);
    EXPECT_EQ(trace.host_ranges().thread[r], trace.host_ranges().thread[0]);
  }
  EXPECT_THAT(names, ElementsAre("JIT Compile (PTX to cubin)", "JIT Compile (NVVM to PTX)",
                                 "JIT Cache Store", "JIT Cache Load"));
}

TEST_F(DeepTest, TheKindsThatTaxEveryCallStayOff) {
  collect([] {
    EXPECT_THAT(state().enabled,
                UnorderedElementsAre(ActivityKind::memcpy, ActivityKind::memset,
                                     ActivityKind::concurrent_kernel, ActivityKind::overhead,
                                     ActivityKind::memcpy_peer, ActivityKind::jit));
    _exit(HasFailure() ? 1 : 0);
  });
}

// Its records end before the thread: what lies behind is another record's.
TEST_F(DeepTest, AnOlderCuptiIsNotAskedForCompilation) {
  collect(
      [] {
        recorder::mark(recorder::intern_name("m", 1), 0);
        EXPECT_THAT(state().enabled, Not(Contains(ActivityKind::jit)));
      },
      deep(), 26);
  EXPECT_THAT(notes(), Contains(HasSubstr("just-in-time")));
}

TEST_F(DeepTest, WhereCompilationIsRefusedTheRestIsRecorded) {
  record([] {
    state().refused = {ActivityKind::jit};
    ASSERT_TRUE(start_collector(fake_cupti::library(), deep()));
    switch_ours(false, switch_hooks);
    switch_ours(true, switch_hooks);
    EXPECT_THAT(state().enabled, Not(Contains(ActivityKind::jit)));
    launch();
  });
  EXPECT_THAT(notes(), Contains(HasSubstr("just-in-time")));
  EXPECT_THAT(call_names(), ElementsAre("cudaLaunchKernel"));
}

TEST(OtherCalls, LoseTheirSuffixes) {
  const Library library = fake_cupti::library();
  const auto name = [&](Domain domain, std::uint32_t id) {
    return std::string(call_name(library, domain, id).data());
  };
  EXPECT_EQ(name(Domain::runtime, kPrefetch), "cudaMemPrefetchAsync");
  EXPECT_EQ(name(Domain::driver, 14), "cuCtxSynchronize");
  EXPECT_EQ(name(Domain::driver, 0), "");
  EXPECT_EQ(name(Domain::driver, 999), "");
}

}  // namespace
}  // namespace stepscope::cupti
