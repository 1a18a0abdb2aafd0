// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/device_reader.hpp"

#include <gmock/gmock.h>

#include "tests/collectors/nvml/fake_nvml.hpp"
#include "tests/collectors/nvml/recorded_child.hpp"

namespace stepscope::nvml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using enum DeviceCounter;

class DeviceReaderTest : public RecordedChild {
 protected:
  static DeviceReader reader(const Library& library = fake_nvml::library()) {
    return {library, nullptr, 3};
  }
};

TEST_F(DeviceReaderTest, ReadsEveryCounterInItsUnit) {
  record([] {
    fake_nvml::state().listed_pid = static_cast<unsigned>(getpid());
    const Reading r = reader().read();
    EXPECT_EQ(r.device, 3U);
    // Behind them are those that PyTorch's allocator reports.
    EXPECT_EQ(r.known, (1U << static_cast<unsigned>(DeviceCounter::allocator_allocated_bytes)) - 1);
    EXPECT_EQ(r.of(sm_clock_mhz), 1755);
    EXPECT_EQ(r.of(memory_clock_mhz), 2619);
    EXPECT_EQ(r.of(power_mw), 640'000);
    EXPECT_EQ(r.of(throttle_reasons), 4);
    EXPECT_EQ(r.of(temperature_celsius), 61);
    EXPECT_EQ(r.of(memory_used_bytes), 60.0 * (1U << 30U));
    EXPECT_EQ(r.of(process_memory_bytes), 7.0 * (1U << 30U));
    EXPECT_EQ(r.of(nvlink_sent_bytes), 10'240);
    EXPECT_EQ(r.of(nvlink_received_bytes), 20'480);
    EXPECT_EQ(r.of(other_processes), 1) << "the fake lists two";
    EXPECT_EQ(r.of(power_limit_mw), 600'000);
    EXPECT_EQ(r.of(default_power_limit_mw), 700'000);
  });
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(DeviceReaderTest, WhatIsMissingOrDeniedIsOffWithOneNoteAndTheRestGoesOn) {
  record([] {
    Library library = fake_nvml::library();
    library.temperature = nullptr;
    fake_nvml::state().listed_pid = static_cast<unsigned>(getpid());
    fake_nvml::state().processes_status = kNoPermission;
    DeviceReader some = reader(library);
    for (int i = 0; i < 20; ++i) {
      const Reading r = some.read();
      EXPECT_FALSE(r.has(temperature_celsius));
      EXPECT_FALSE(r.has(process_memory_bytes));
      EXPECT_TRUE(r.has(sm_clock_mhz));
      EXPECT_TRUE(r.has(nvlink_sent_bytes));
    }
  });
  EXPECT_THAT(notes(), ElementsAre("GPU 3: temperature_celsius is not sampled: Some Error",
                                   "GPU 3: process_memory_bytes is not sampled: Some Error"));
}

TEST_F(DeviceReaderTest, OneFailureIsForgivenThreeInARowAreNot) {
  record([] {
    DeviceReader some = reader();
    constexpr Status kTimeout = 10;
    for (const Status status : {kTimeout, kTimeout, kSuccess, kTimeout, kTimeout, kSuccess}) {
      fake_nvml::state().clock_status = status;
      EXPECT_EQ(some.read().has(sm_clock_mhz), status == kSuccess);
    }
    fake_nvml::state().clock_status = kTimeout;
    for (int i = 0; i < 3; ++i) (void)some.read();
    const int calls = fake_nvml::state().clock_calls;
    fake_nvml::state().clock_status = kSuccess;
    EXPECT_FALSE(some.read().has(sm_clock_mhz));
    EXPECT_EQ(fake_nvml::state().clock_calls, calls) << "it is not asked for again";
  });
}

TEST_F(DeviceReaderTest, PowerIsTheMeanWhereTheInstantIsNotTold) {
  record([] {
    fake_nvml::state().power_field = kNotSupported;
    DeviceReader some = reader();
    EXPECT_EQ(some.read().of(power_mw), 500'000);
    EXPECT_EQ(some.read().of(power_mw), 500'000);
    Library old = fake_nvml::library();
    old.fields = nullptr;
    EXPECT_EQ(reader(old).read().of(power_mw), 500'000);
  });
}

TEST_F(DeviceReaderTest, ADeviceWithoutNvlinkLacksNothing) {
  record([] {
    fake_nvml::state().listed_pid = static_cast<unsigned>(getpid());
    fake_nvml::state().nvlink_field = kNotSupported;
    EXPECT_FALSE(reader().read().has(nvlink_sent_bytes));
  });
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(DeviceReaderTest, AProcessThatNvmlDoesNotListHasNoMemoryOfItsOwn) {
  record([] {
    fake_nvml::state().listed_pid = static_cast<unsigned>(getpid()) + 1;
    EXPECT_FALSE(reader().read().has(process_memory_bytes));
  });
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("does not list this process")));
}

TEST_F(DeviceReaderTest, TheProcessListIsAskedForRarely) {
  record([] {
    fake_nvml::state().listed_pid = static_cast<unsigned>(getpid());
    DeviceReader some = reader();
    int known = 0;
    for (int i = 0; i < 30; ++i) known += some.read().has(process_memory_bytes) ? 1 : 0;
    EXPECT_EQ(known, 3);
  });
}

}  // namespace
}  // namespace stepscope::nvml
