// SPDX-License-Identifier: Apache-2.0
// Times a part of a training step, once in each step that is to count. On a GPU between two events
// of the current stream, which the device's clock tells apart: nothing waits until the mean is
// asked for. A part whose work the device has begun late is as long as the device was at it.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <chrono>
#include <vector>

namespace stepscope::trainers {

class Stopwatch {
 public:
  explicit Stopwatch(c10::Device device) : device_(device) {}

  // What `part` returns.
  template <class Part>
  auto time(const Part& part) {
    begin();
    auto result = part();
    end();
    return result;
  }

  // Milliseconds a time; 0 where nothing was timed. Waits for the device.
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
