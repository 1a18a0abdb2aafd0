// SPDX-License-Identifier: Apache-2.0
// What a CUDA call pays for its two callbacks, warm and after the program has used its caches for
// other things (8 MiB of data walked between calls, as a Python step does): through the real hooks
// and recorder, with CUPTI's own part left out.
//
//   callback_cost [calls]
//
// Prints medians in ns of entry and exit together.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "collectors/cupti/calls/call_hooks.hpp"
#include "collectors/cupti/collector.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/process_state.hpp"
#include "collectors/recorder/recorder.hpp"
#include "tests/collectors/cupti/cuda_calls.hpp"

namespace {

using namespace stepscope;
using namespace stepscope::cupti;

constexpr std::size_t kWalked = 8U << 20U;

class OtherWork {
 public:
  void walk() {
    for (std::size_t i = 0; i < data_.size(); i += 64) sum_ += data_[i]++;
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::vector<std::uint8_t> data_ = std::vector<std::uint8_t>(kWalked);
  std::uint64_t sum_ = 0;
};

// ns of entry and exit of one launch.
double time_of_call(std::uint32_t number) {
  const DriverLaunchParameters parameters{.stream = handle(7)};
  CallbackData data{};
  data.function_params = &parameters;
  data.context = handle(1);
  data.context_uid = 1;
  data.correlation_id = number;
  const auto domain = static_cast<std::uint32_t>(Domain::driver);
  const std::int64_t begin = recorder::clock_ns(CLOCK_MONOTONIC);
  data.site = 0;
  on_callback(nullptr, domain, kDriverLaunch, &data);
  data.site = 1;
  on_callback(nullptr, domain, kDriverLaunch, &data);
  return static_cast<double>(recorder::clock_ns(CLOCK_MONOTONIC) - begin);
}

double time_of_nothing() {
  const std::int64_t begin = recorder::clock_ns(CLOCK_MONOTONIC);
  return static_cast<double>(recorder::clock_ns(CLOCK_MONOTONIC) - begin);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void measure(const char* what, int calls, bool cold) {
  OtherWork other;
  std::vector<double> times, nothing;
  for (int i = 0; i < calls; ++i) {
    if (cold) other.walk();
    nothing.push_back(time_of_nothing());
    if (cold) other.walk();
    times.push_back(time_of_call(static_cast<std::uint32_t>(i) + 1));
  }
  std::printf("%s: %.0f ns a call (%.0f of it the clock)%s\n", what, median(times), median(nothing),
              other.sum() == 1 ? " " : "");
}

}  // namespace

int main(int argc, char** argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 50;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("callback_cost." + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "live");
  const std::string path = folder.string();
  const bool good = recorder::start({.folder = path.c_str(), .flush_ms = 200}) &&
                    start_collector(fake_cupti::library(), {});
  if (good) {
    measure("warm", calls, false);
    measure("cold", calls, true);
    recorder::stop_row_sources(5);
    recorder::finish(ExitReason::exited, 0);
  }
  std::filesystem::remove_all(folder);
  return good ? 0 : 1;
}
