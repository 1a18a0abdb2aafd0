// SPDX-License-Identifier: Apache-2.0
// Times a part of a training step, once in each step that is to count. On a GPU it records two
// events of the current stream and compares the device's times, so that nothing waits until the
// mean is asked for; a part that the host enqueued ahead is as long as the device worked on it.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <chrono>
#include <vector>

namespace stepscope::trainers {

class Stopwatch {
 public:
  explicit Stopwatch(c10::Device device) : device_(device) {}

  // Returns what `part` returns.
  template <class Part>
  auto time(const Part& part) {
    begin();
    auto result = part();
    end();
    return result;
  }

  // Returns milliseconds a time, 0 where nothing was timed. Waits for the device.
  double mean_ms() const;

 private:
  struct Times {
    c10::Event begin, end;
  };
  void begin();
  void end();

  c10::Device device_;
  std::vector<Times> on_device_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::nanoseconds on_host_{0};
  int count_ = 0;
};

}  // namespace stepscope::trainers
