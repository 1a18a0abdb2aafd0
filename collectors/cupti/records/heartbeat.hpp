// SPDX-License-Identifier: Apache-2.0
// Whether device records still come while work is launched. A user of CUPTI that calls the library
// directly and never subscribes takes the place of our buffers without a word; then nothing of the
// device is recorded, and a device that looks idle must not be called so.
//
// Asked at each flush. A buffer comes back when it is full or all its work is done: with the device
// always busy that takes some 5,000 kernels of each thread. So the alarm wants many calls, counted
// by correlation ids, besides the time.
#pragma once

#include <cstdint>

namespace stepscope::cupti {

class Heartbeat {
 public:
  enum class Change : std::uint8_t { none, stopped, came_back };

  // `launch`: correlation id of a launch since the last flush, 0: none; `records`: so far.
  Change look(std::uint32_t launch, std::uint64_t records) noexcept {
    if (records != records_) {
      records_ = records;
      quiet_ = 0;
      return set(false);
    }
    if (launch == 0) return Change::none;
    if (quiet_++ == 0) first_ = launch;
    return quiet_ >= kQuietFlushes && launch - first_ >= kManyCalls ? set(true) : Change::none;
  }

 private:
  static constexpr int kQuietFlushes = 10;  // five seconds
  static constexpr std::uint32_t kManyCalls = 500'000;

  Change set(bool stopped) noexcept {
    if (stopped == stopped_) return Change::none;
    stopped_ = stopped;
    return stopped ? Change::stopped : Change::came_back;
  }

  std::uint64_t records_ = 0;
  int quiet_ = 0;
  std::uint32_t first_ = 0;  // launch of the silence
  bool stopped_ = false;
};

}  // namespace stepscope::cupti
