// SPDX-License-Identifier: Apache-2.0
// The library as it is found by its name: a real shared object, that of an older driver.
#include "collectors/nvml/nvml_library.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "collectors/nvml/device_reader.hpp"

namespace stepscope::nvml {
namespace {

TEST(NvmlLibrary, WhatAnOlderDriverHasIsUsedAndTheRestIsMissing) {
  ASSERT_NE(dlopen(STEPSCOPE_OLD_NVML, RTLD_NOW), nullptr) << dlerror();
  const FoundLibrary found = find_library();
  ASSERT_TRUE(found.usable) << found.why_not.data();
  EXPECT_EQ(found.functions.init(), kSuccess);
  unsigned index = 0;
  EXPECT_EQ(found.functions.index_of(nullptr, &index), kSuccess);
  EXPECT_EQ(index, 3U);
  const Reading reading = DeviceReader(found.functions, nullptr, 0).read();
  EXPECT_EQ(reading.of(DeviceCounter::throttle_reasons), 0x40);
  EXPECT_EQ(reading.of(DeviceCounter::power_mw), 300'000);
  EXPECT_FALSE(reading.has(DeviceCounter::sm_clock_mhz));
  EXPECT_EQ(found.functions.fields, nullptr);
}

TEST(NvmlLibrary, AnErrorWithoutItsWordsIsItsNumber) {
  EXPECT_EQ(std::string(text_of(Library{}, 18).data()), "NVML error 18");
}

}  // namespace
}  // namespace stepscope::nvml
