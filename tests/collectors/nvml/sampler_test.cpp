// SPDX-License-Identifier: Apache-2.0
// The sampler over a fake NVML and the real recorder: what reaches the file, and that it ends.
#include "collectors/nvml/sampler.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
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
    std::this_thread::sleep_for(milliseconds(200));
    EXPECT_TRUE(sampler.stop(1000));
  });
  const auto samples = samples_by_track();
  for (const char* track : {"gpu.0.sm_clock_mhz", "gpu.1.sm_clock_mhz", "gpu.1.power_mw"}) {
    ASSERT_TRUE(samples.contains(track)) << track;
    EXPECT_GE(samples.at(track), 5) << track;
    EXPECT_LE(samples.at(track), 41) << track;
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
    std::this_thread::sleep_for(milliseconds(50));
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
    const pid_t other = fork();
    if (other == 0) {
      recorder::mark(recorder::intern_name("other", 5), 0);
      Sampler& sampler = start_sampler(kFast);
      sampler.add_device(device(0, "GPU-0"));
      std::this_thread::sleep_for(milliseconds(400));
      _exit(0);
    }
    std::this_thread::sleep_for(milliseconds(150));
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-0"));
    sampler.add_device(device(1, "GPU-1"));
    std::this_thread::sleep_for(milliseconds(100));
    EXPECT_TRUE(sampler.stop(1000));
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
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
    const pid_t other = fork();
    if (other == 0) {
      start_sampler(kFast).add_device(device(0, "GPU-0"));
      for (;;) pause();
    }
    std::this_thread::sleep_for(milliseconds(150));
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-0"));
    std::this_thread::sleep_for(milliseconds(100));
    EXPECT_EQ(fake_nvml::state().clock_calls, 0);
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
    std::this_thread::sleep_for(milliseconds(1300));
    EXPECT_TRUE(sampler.stop(1000));
  });
  EXPECT_GT(samples_by_track()["gpu.0.sm_clock_mhz"], 5);
}

TEST_F(SamplerTest, AHangInNvmlDoesNotHangTheExit) {
  record([] {
    fake_nvml::state().hang_ms = 60'000;
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-0"));
    std::this_thread::sleep_for(milliseconds(50));
    const auto begin = steady_clock::now();
    EXPECT_FALSE(sampler.stop(200));
    EXPECT_LT(steady_clock::now() - begin, milliseconds(2000));
  });
}

TEST_F(SamplerTest, AForkWaitsUntilTheThreadIsOutsideNvmlAndNotForEver) {
  record([] {
    fake_nvml::state().hang_ms = 100;
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-0"));
    std::this_thread::sleep_for(milliseconds(50));  // inside the first reading of 200 ms
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
    std::this_thread::sleep_for(milliseconds(2500));  // it rests nine times as long as it worked
    const auto begin = steady_clock::now();
    if (fork() == 0) _exit(0);
    EXPECT_LT(steady_clock::now() - begin, milliseconds(5000));
    wait(nullptr);
  });
}

TEST_F(SamplerTest, ItWorksForATenthOfTheTimeAtMost) {
  record([] {
    fake_nvml::state().hang_ms = 5;  // two clocks: a round takes 10 ms
    Sampler& sampler = start_sampler(kFast);
    sampler.add_device(device(0, "GPU-0"));
    std::this_thread::sleep_for(milliseconds(500));
    EXPECT_TRUE(sampler.stop(1000));
    EXPECT_LE(fake_nvml::state().clock_calls, 14);
    EXPECT_GE(fake_nvml::state().clock_calls, 4);
  });
}

TEST_F(SamplerTest, WhateverFailsIsANote) {
  record([] {
    Sampler& missing = start_sampler({.period_ms = 5, .find = fake_nvml::find_none});
    missing.add_device(device(0, "GPU-0"));
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_TRUE(missing.stop(1000));
    fake_nvml::state().init_status = 9;
    Sampler& refused = start_sampler(kFast);
    refused.add_device(device(0, "GPU-0"));
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_TRUE(refused.stop(1000));
    fake_nvml::state().init_status = kSuccess;
    Sampler& unknown = start_sampler(kFast);
    unknown.add_device(device(0, "MIG-7"));
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_TRUE(unknown.stop(1000));
  });
  EXPECT_THAT(notes(), UnorderedElementsAre(HasSubstr("no library here"), HasSubstr("Some Error"),
                                            HasSubstr("a MIG instance")));
}

}  // namespace
}  // namespace stepscope::nvml
