// SPDX-License-Identifier: Apache-2.0
// Whether device records still come while work is launched. A user of CUPTI that calls the library
// directly and never subscribes takes the place of our buffers without a word; then nothing of the
// device is recorded, and a device that looks idle must not be called so.
//
// Asked at each flush. Not alarmed by one long kernel: behind it launches stop, too.
#pragma once

#include <cstdint>

namespace stepscope::cupti {

class Heartbeat {
 public:
  enum class Change : std::uint8_t { none, stopped, came_back };

  // `launched`: since the last flush; `records`: so far.
  Change look(bool launched, std::uint64_t records) noexcept {
    if (records != records_) {
      records_ = records;
      quiet_ = 0;
      return set(false);
    }
    if (launched) ++quiet_;
    return quiet_ >= kQuietFlushes ? set(true) : Change::none;
  }

 private:
  static constexpr int kQuietFlushes = 10;  // five seconds

  Change set(bool stopped) noexcept {
    if (stopped == stopped_) return Change::none;
    stopped_ = stopped;
    return stopped ? Change::stopped : Change::came_back;
  }

  std::uint64_t records_ = 0;
  int quiet_ = 0;
  bool stopped_ = false;
};

}  // namespace stepscope::cupti
