// SPDX-License-Identifier: Apache-2.0
// PM sampling over a fake CUPTI and the real recorder, each case in a forked child.
#include "collectors/pm_sampling/pm_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>

#include "collectors/recorder/capture/capture.hpp"
#include "collectors/recorder/clock.hpp"
#include "tests/collectors/recorded_child.hpp"

namespace stepscope::pm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A CUPTI whose hardware has taken the samples that a test says. An image is a count of samples.
struct Fake {
  std::mutex mutex;
  Status enable_status = kSuccess, decode_status = kSuccess, start_status = kSuccess;
  std::size_t passes = 1;
  std::deque<Sample> hardware;      // since the last decoding
  std::vector<Sample> image;        // decoded
  std::size_t most_decoded = 1000;  // most samples that an image takes
  std::uint8_t overflow = 0;
  std::vector<std::string> calls;
  std::vector<std::size_t> devices;
  std::uint64_t interval = 0;
  bool hang = false, dies_at_exit = false;

  void log(const char* call) {
    const std::lock_guard lock(mutex);
    calls.emplace_back(call);
  }
  bool has(const char* call) {
    const std::lock_guard lock(mutex);
    return std::find(calls.begin(), calls.end(), call) != calls.end();
  }
};
Fake& fake() {
  static Fake& leaked = *new Fake;
  return leaked;
}

Status decode(DecodeData* p) {
  while (fake().hang) usleep(1000);
  const std::lock_guard lock(fake().mutex);
  p->overflow = fake().overflow;
  while (!fake().hardware.empty() && fake().image.size() < fake().most_decoded) {
    fake().image.push_back(fake().hardware.front());
    fake().hardware.pop_front();
  }
  p->stop_reason = fake().hardware.empty() ? 2 : kImageFull;
  return fake().decode_status;
}

Library library() {
  Library l{};
  l.initialize = [](Initialize*) { return kSuccess; };
  l.chip_name = [](GetChipName* p) {
    p->name = "GH100";
    return kSuccess;
  };
  l.availability = [](GetCounterAvailability* p) {
    p->image_bytes = 8;
    return kSuccess;
  };
  l.host_initialize = [](HostInitialize* p) {
    EXPECT_STREQ(p->chip, "GH100");
    p->host = p;
    // As libnvperf_host, which is loaded only now.
    if (fake().dies_at_exit) std::atexit([] { fake().log("destroyed"); });
    return kSuccess;
  };
  l.host_deinitialize = [](HostDeinitialize*) {
    if (fake().has("destroyed")) std::abort();
    fake().log("host_deinitialize");
    return kSuccess;
  };
  l.add_metrics = [](AddMetrics* p) {
    EXPECT_EQ(p->count, kMetrics.size());
    return kSuccess;
  };
  l.config_size = [](GetConfigSize* p) {
    p->config_bytes = 16;
    return kSuccess;
  };
  l.config = [](GetConfig*) { return kSuccess; };
  l.passes = [](GetPasses* p) {
    p->passes = fake().passes;
    return kSuccess;
  };
  l.enable = [](Enable* p) {
    fake().devices.push_back(p->device);
    p->sampling = p;
    return fake().enable_status;
  };
  l.disable = [](OfSampling*) {
    fake().log("disable");
    return kSuccess;
  };
  l.set_config = [](SetConfig* p) {
    fake().interval = p->interval;
    return kSuccess;
  };
  l.data_size = [](GetDataSize* p) {
    p->data_bytes = 64;
    return kSuccess;
  };
  l.initialize_data = [](InitializeData*) {
    const std::lock_guard lock(fake().mutex);
    fake().image.clear();
    return kSuccess;
  };
  l.start = [](OfSampling*) {
    fake().log("start");
    return fake().start_status;
  };
  l.stop = [](OfSampling*) {
    fake().log("stop");
    return kSuccess;
  };
  l.decode = decode;
  l.data_info = [](GetDataInfo* p) {
    p->completed = fake().image.size();
    return kSuccess;
  };
  l.sample_info = [](GetSampleInfo* p) {
    p->begin = fake().image[p->sample].begin_ns;
    p->end = fake().image[p->sample].end_ns;
    return kSuccess;
  };
  l.evaluate = [](Evaluate* p) {
    std::copy_n(fake().image[p->sample].values.begin(), p->count, p->values);
    return kSuccess;
  };
  return l;
}

// The n-th since the test began, with values that identify it; the first of a start is thrown away.
Sample sample(int n) {
  static const auto begin =
      static_cast<std::uint64_t>(recorder::clock_ns(CLOCK_REALTIME)) - 1'000'000'000U;
  const auto at = begin + static_cast<std::uint64_t>(n) * 1'000'000U;
  return {at, at + 1'000'000U, {1.0 * n, 2.0 * n, 1e12 + n, 2e12 + n}};
}

void put(std::initializer_list<int> samples) {
  const std::lock_guard lock(fake().mutex);
  for (const int n : samples) fake().hardware.push_back(sample(n));
}

template <class Condition>
void wait_until(Condition condition) {
  for (int i = 0; i < 2000 && !condition(); ++i) usleep(1000);
  EXPECT_TRUE(condition());
}

bool all_decoded() {
  const std::lock_guard lock(fake().mutex);
  return fake().hardware.empty() && fake().image.empty();
}

class PmSourceTest : public RecordedChild {
 protected:
  void sampled(const std::function<void(PmSource&)>& body) {
    record([&] {
      auto* source = new PmSource(library(), {.interval_us = 500, .read_ms = 5, .stop_ms = 200});
      ASSERT_TRUE(recorder::add_row_source(source));
      recorder::mark(recorder::intern_name("m", 1), 0);  // opens the file
      body(*source);
    });
  }
  template <class T>
  std::vector<T> column(const char* track, std::vector<T> Counters::*wanted) {
    const Trace trace = read();
    const Counters& c = trace.data().counters;
    std::vector<T> out;
    for (std::size_t row = 0; row < c.size(); ++row) {
      if (trace.text(c.track[row]) == track) out.push_back((c.*wanted)[row]);
    }
    return out;
  }
  std::vector<double> values(const char* track) { return column(track, &Counters::value); }
  std::vector<std::int64_t> times(const char* track) { return column(track, &Counters::time); }
};

TEST_F(PmSourceTest, SamplesAreRowsOfTheirDeviceButTheFirst) {
  sampled([](PmSource& source) {
    put({1, 2, 3});
    source.add_device(1);
    wait_until(all_decoded);
    EXPECT_EQ(fake().interval, 500'000U);
    EXPECT_THAT(fake().devices, ElementsAre(1U));
  });
  EXPECT_THAT(values("gpu.1.sm_active_percent"), ElementsAre(2, 3));
  EXPECT_THAT(values("gpu.1.tensor_active_percent"), ElementsAre(4, 6));
  EXPECT_THAT(values("gpu.1.dram_read_bytes_per_second"), ElementsAre(1e12 + 2, 1e12 + 3));
  EXPECT_THAT(values("gpu.1.dram_write_bytes_per_second"), ElementsAre(2e12 + 2, 2e12 + 3));
  EXPECT_THAT(notes(), Contains(HasSubstr("clocks are held")));
  const std::vector<std::int64_t> at = times("gpu.1.sm_active_percent");
  EXPECT_EQ(at[1] - at[0], 1'000'000);
  EXPECT_EQ(at, times("gpu.1.dram_read_bytes_per_second"));
}

TEST_F(PmSourceTest, WhatDoesNotFitInOneImageComesWithTheNext) {
  sampled([](PmSource& source) {
    fake().most_decoded = 2;
    put({1, 2, 3, 4, 5, 6, 7});
    source.add_device(0);
    wait_until(all_decoded);
  });
  EXPECT_THAT(values("gpu.0.sm_active_percent"), ElementsAre(2, 3, 4, 5, 6, 7));
}

TEST_F(PmSourceTest, TheLastSamplesAreTakenAndTheDeviceIsGivenBack) {
  sampled([](PmSource& source) {
    source.add_device(0);
    wait_until([] { return fake().has("start"); });
    put({1, 2});
    recorder::stop_row_sources(5);
    EXPECT_TRUE(fake().has("stop") && fake().has("disable") && fake().has("host_deinitialize"));
  });
  EXPECT_THAT(values("gpu.0.sm_active_percent"), ElementsAre(2));
}

// CUPTI's host part is destroyed by exit() before what was registered earlier, as our end is.
TEST_F(PmSourceTest, AtExitTheDeviceIsGivenBackWhileItsLibraryStands) {
  const int status = status_of([] {
    std::atexit([] {
      recorder::stop_row_sources(5);
      recorder::finish(ExitReason::exited, 0);
    });
    fake().dies_at_exit = true;
    auto* source = new PmSource(library(), {.interval_us = 500, .read_ms = 5, .stop_ms = 2000});
    ASSERT_TRUE(recorder::add_row_source(source));
    recorder::mark(recorder::intern_name("m", 1), 0);  // opens the file
    put({1, 2});
    source->add_device(0);
    wait_until(all_decoded);
    std::exit(HasFailure() ? 1 : 0);
  });
  EXPECT_EQ(status, 0);
  EXPECT_THAT(values("gpu.0.sm_active_percent"), ElementsAre(2));
}

TEST_F(PmSourceTest, AForkedChildDoesNotWaitForAThreadThatItDoesNotHave) {
  record([] {
    auto* source = new PmSource(library(), {.interval_us = 500, .read_ms = 5, .stop_ms = 60'000});
    ASSERT_TRUE(recorder::add_row_source(source));
    put({1, 2});
    source->add_device(0);
    wait_until(all_decoded);
    const pid_t child = fork_while_others_sleep();
    if (child == 0) {
      alarm(10);
      std::exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
}

TEST_F(PmSourceTest, WithoutTheRightsANoteSaysWhatToDo) {
  sampled([](PmSource& source) {
    fake().enable_status = kInsufficientPrivileges;
    source.add_device(0);
    wait_until([] { return fake().has("host_deinitialize"); });
    EXPECT_FALSE(fake().has("start"));
  });
  EXPECT_THAT(values("gpu.0.sm_active_percent"), IsEmpty());
  EXPECT_THAT(notes(), Contains(HasSubstr("NVreg_RestrictProfilingToAdminUsers")));
  EXPECT_THAT(notes(), Not(Contains(HasSubstr("clocks are held"))));
}

TEST_F(PmSourceTest, ADeviceAfterARefusedOneHasItsOwnChance) {
  sampled([](PmSource& source) {
    fake().enable_status = 1;
    source.add_device(0);
    wait_until([] { return fake().has("host_deinitialize"); });
    usleep(30'000);  // the thread has nothing to do and ends
    fake().enable_status = kSuccess;
    put({1, 2});
    source.add_device(1);
    wait_until(all_decoded);
  });
  EXPECT_THAT(values("gpu.1.sm_active_percent"), ElementsAre(2));
}

TEST_F(PmSourceTest, MetricsThatNeedSeveralPassesAreRefused) {
  sampled([](PmSource& source) {
    fake().passes = 2;
    source.add_device(0);
    wait_until([] { return fake().has("host_deinitialize"); });
  });
  EXPECT_THAT(notes(), Contains(HasSubstr("GetNumOfPasses")));
}

TEST_F(PmSourceTest, AFailureLaterEndsThatDeviceWithANote) {
  sampled([](PmSource& source) {
    source.add_device(0);
    wait_until([] { return fake().has("start"); });
    fake().decode_status = 7;
    wait_until([] { return fake().has("disable"); });
  });
  EXPECT_THAT(notes(), Contains(HasSubstr("cuptiPmSamplingDecodeData failed with 7")));
}

TEST_F(PmSourceTest, APlanStopsSamplingAndTheClocksAreFree) {
  sampled([](PmSource& source) {
    source.add_device(0);
    wait_until([] { return fake().has("start"); });
    put({1, 2});
    source.set_capturing(false);
    wait_until([] { return fake().has("stop"); });
    wait_until(all_decoded);
    EXPECT_FALSE(fake().has("disable"));
    fake().calls.clear();
    source.set_capturing(true);
    wait_until([] { return fake().has("start"); });
    put({3, 4});
    wait_until(all_decoded);
  });
  EXPECT_THAT(values("gpu.0.sm_active_percent"), ElementsAre(2, 4));
}

TEST_F(PmSourceTest, AFullBufferAndForeignTimesAreSaidOnce) {
  sampled([](PmSource& source) {
    fake().overflow = 1;
    {
      const std::lock_guard lock(fake().mutex);
      fake().hardware = {sample(1), Sample{12345, 12346, {}}, Sample{12346, 12347, {}}, sample(2)};
    }
    source.add_device(0);
    wait_until(all_decoded);
  });
  EXPECT_THAT(values("gpu.0.sm_active_percent"), ElementsAre(2));
  EXPECT_THAT(notes(), Contains(HasSubstr("buffer of counters was full")).Times(1));
  EXPECT_THAT(notes(), Contains(HasSubstr("not the host's")).Times(1));
}

TEST_F(PmSourceTest, AHangInCuptiDoesNotHangTheExit) {
  sampled([](PmSource& source) {
    fake().hang = true;
    source.add_device(0);
    wait_until([] { return fake().has("start"); });
    const std::int64_t begin = recorder::clock_ns(CLOCK_MONOTONIC);
    recorder::stop_row_sources(5);
    EXPECT_LT(recorder::clock_ns(CLOCK_MONOTONIC) - begin, 2'000'000'000);
  });
}

}  // namespace
}  // namespace stepscope::pm
