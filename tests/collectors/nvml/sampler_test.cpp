// SPDX-License-Identifier: Apache-2.0
// The sampler over a fake NVML and the real recorder: what reaches the file, and that it ends.
#include "collectors/nvml/sampler.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include "collectors/recorder/clock.hpp"
#include "tests/collectors/nvml/fake_nvml.hpp"
#include "tests/collectors/nvml/recorded_child.hpp"

namespace stepscope::nvml {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Device device(std::uint32_t index, const char* uuid) {
  Device made;
  made.index = index;
  made.uuid = uuid;
  return made;
}

// Leaked, as in the injected library.
Sampler& start_sampler(const Options& options) {
  auto* sampler = new Sampler(options);
  EXPECT_TRUE(recorder::add_row_source(sampler));
  return *sampler;
}

void wait_for(const std::atomic<int>& count, int calls) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(20);
  while (count < calls && steady_clock::now() < deadline)
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_GE(count, calls);
}

void wait_for_clock_calls(int calls) {
  wait_for(fake_nvml::state().clock_calls, calls);
}

// Another process of the host that runs `body`, which returns once it samples, and then waits.
pid_t start_other(const std::function<void()>& body) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t other = fork();
  if (other == 0) {
    body();
    if (write(ready[1], "x", 1) != 1) _exit(2);
    for (;;) pause();
  }
  char one = 0;
  EXPECT_EQ(::read(ready[0], &one, 1), 1);
  close(ready[0]);
  close(ready[1]);
  return other;
}

void end(pid_t process) {
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

constexpr Options kFast{.period_ms = 5, .find = fake_nvml::find};

class SamplerTest : public RecordedChild {
 protected:
  std::map<std::string, int> samples_by_track() {
    std::map<std::string, int> out;
    const Trace trace = read();
    for (const StringId track : trace.data().counters.track) {
      const std::string text(trace.text(track));
      if (text.starts_with("gpu.")) ++out[text];
    }
    return out;
  }
};

TEST_F(SamplerTest, TheProcessesDevicesAreSampledUnderItsOwnNumbers) {
  record([] {
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-5"));
    sampler.add_device(device(1, "GPU-2"));
    wait_for_clock_calls(40);  // two a device and round
    EXPECT_TRUE(sampler.stop(1000));
  });
  const auto samples = samples_by_track();
  for (const char* track : {"gpu.0.sm_clock_mhz", "gpu.1.sm_clock_mhz", "gpu.1.power_mw"}) {
    ASSERT_TRUE(samples.contains(track)) << track;
    EXPECT_GE(samples.at(track), 5) << track;
  }
  EXPECT_FALSE(samples.contains("gpu.5.sm_clock_mhz"));
  const Trace trace = read();
  const auto& facts = trace.data().processes[0].facts;
  EXPECT_EQ(facts.at("nvml"), "580.1");
  EXPECT_THAT(facts.at("nvml.round_us"), HasSubstr("rounds"));
  EXPECT_EQ(trace.health().dropped_records, 0U);
}

TEST_F(SamplerTest, TimesAreThoseOfTheTrace) {
  const std::int64_t before = recorder::clock_ns(CLOCK_REALTIME);
  record([] {
    start_sampler(kFast).add_device(device(0, "GPU-0"));
    wait_for_clock_calls(4);
  });
  const Trace trace = read();
  const std::vector<std::int64_t>& times = trace.data().counters.time;
  ASSERT_FALSE(times.empty());
  EXPECT_GE(*std::min_element(times.begin(), times.end()), before);
  EXPECT_LE(*std::max_element(times.begin(), times.end()), recorder::clock_ns(CLOCK_REALTIME));
}

TEST_F(SamplerTest, AProcessWithoutDeviceWorkHasNoThread) {
  record([] {
    Sampler& sampler = start_sampler(kFast);
    std::this_thread::sleep_for(milliseconds(30));
    EXPECT_EQ(fake_nvml::state().clock_calls, 0);
    EXPECT_TRUE(sampler.stop(0));
    sampler.add_device(device(0, "GPU-0"));  // too late
    std::this_thread::sleep_for(milliseconds(30));
    EXPECT_EQ(fake_nvml::state().clock_calls, 0);
  });
}

TEST_F(SamplerTest, TwoProcessesSampleADeviceOnce) {
  record([] {
    const pid_t other = start_other([] {
      recorder::mark(recorder::intern_name("other", 5), 0);
      start_sampler(kFast).add_device(device(0, "GPU-0"));
      wait_for_clock_calls(4);
    });
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-0"));
    sampler.add_device(device(1, "GPU-1"));
    wait_for_clock_calls(10);
    EXPECT_TRUE(sampler.stop(1000));
    end(other);
  });
  const Trace trace = read();
  std::map<std::string, std::vector<ProcessId>> processes;
  for (std::size_t row = 0; row < trace.data().counters.size(); ++row)
    processes[std::string(trace.text(trace.data().counters.track[row]))].push_back(
        trace.data().counters.process[row]);
  EXPECT_THAT(processes["gpu.1.power_mw"], testing::Not(IsEmpty()));
  const ProcessId own = processes["gpu.1.power_mw"].front();
  EXPECT_THAT(processes["gpu.0.power_mw"], testing::Not(Contains(own)));
}

TEST_F(SamplerTest, AnotherProcessTakesOverWhereOneDies) {
  record([] {
    const pid_t other = start_other([] {  // it records nothing, so it has no file
      start_sampler(kFast).add_device(device(0, "GPU-0"));
      wait_for_clock_calls(2);
    });
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-0"));
    std::this_thread::sleep_for(milliseconds(100));
    EXPECT_EQ(fake_nvml::state().clock_calls, 0);
    end(other);
    wait_for_clock_calls(12);
    EXPECT_TRUE(sampler.stop(1000));
  });
  EXPECT_GT(samples_by_track()["gpu.0.sm_clock_mhz"], 5);
}

TEST_F(SamplerTest, AHangInNvmlDoesNotHangTheExit) {
  record([] {
    fake_nvml::state().hang_ms = 60'000;
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-0"));
    wait_for_clock_calls(1);
    const auto begin = steady_clock::now();
    EXPECT_FALSE(sampler.stop(200));
    EXPECT_LT(steady_clock::now() - begin, milliseconds(30'000));
  });
}

TEST_F(SamplerTest, AForkWaitsUntilTheThreadIsOutsideNvmlAndNotForEver) {
  record([] {
    fake_nvml::state().hang_ms = 100;
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-0"));
    wait_for_clock_calls(1);  // inside the first of two calls of 100 ms
    const pid_t child = fork();
    if (child == 0) {
      EXPECT_GE(fake_nvml::state().clock_calls, 2) << "the round was over";
      EXPECT_TRUE(sampler.stop(10'000)) << "no thread in a forked child";
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    fake_nvml::state().hang_ms = 60'000;
    wait_for_clock_calls(3);  // it rested nine times as long as it had worked
    const auto begin = steady_clock::now();
    if (fork() == 0) _exit(0);
    EXPECT_LT(steady_clock::now() - begin, milliseconds(30'000));
    wait(nullptr);
  });
}

TEST_F(SamplerTest, ItWorksForATenthOfTheTimeAtMost) {
  record([] {
    fake_nvml::state().hang_ms = 5;  // two clocks: a round takes 10 ms
    const auto begin = steady_clock::now();
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-0"));
    wait_for_clock_calls(8);
    EXPECT_TRUE(sampler.stop(1000));
    EXPECT_GE(steady_clock::now() - begin, milliseconds(300)) << "three rests of 90 ms and more";
  });
}

TEST_F(SamplerTest, WhateverFailsIsANote) {
  record([] {
    Sampler& missing = start_sampler({.period_ms = 5, .find = fake_nvml::find_none});
    missing.add_device(device(0, "GPU-0"));
    wait_for(fake_nvml::state().searches, 1);
    EXPECT_TRUE(missing.stop(1000));
    fake_nvml::state().init_status = 9;
    Sampler& refused = start_sampler(kFast);
    refused.add_device(device(0, "GPU-0"));
    wait_for(fake_nvml::state().searches, 2);
    EXPECT_TRUE(refused.stop(1000));
    fake_nvml::state().init_status = kSuccess;
    Sampler& unknown = start_sampler(kFast);
    unknown.add_device(device(0, "MIG-7"));
    wait_for(fake_nvml::state().searches, 4);
    EXPECT_TRUE(unknown.stop(1000));
  });
  EXPECT_THAT(notes(), UnorderedElementsAre(HasSubstr("no library here"), HasSubstr("Some Error"),
                                            HasSubstr("a MIG instance")));
}

}  // namespace
}  // namespace stepscope::nvml
