// SPDX-License-Identifier: Apache-2.0
// A program without Python: steps in which it runs for 8 ms and sleeps for 12, in ranges of its
// own.
#include <chrono>
#include <cstdio>
#include <thread>

#include <stepscope/annotate.hpp>

namespace {

using Clock = std::chrono::steady_clock;

void run_for(std::chrono::milliseconds time) {
  const auto until = Clock::now() + time;
  volatile unsigned turns = 0;
  while (Clock::now() < until) turns = turns + 1;
}

}  // namespace

int main() {
  for (int step = 0; step < 40; ++step) {
    const auto mark = stepscope::step_range(static_cast<std::uint64_t>(step));
    {
      const auto range = stepscope::phase("compute");
      run_for(std::chrono::milliseconds(8));
    }
    {
      const auto range = stepscope::phase("wait");
      std::this_thread::sleep_for(std::chrono::milliseconds(12));
    }
  }
  std::puts("done");
  return 0;
}
