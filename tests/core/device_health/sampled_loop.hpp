// SPDX-License-Identifier: Apache-2.0
// A loop of steps and the samples of devices beside it, by hand.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "core/model/device_counter.hpp"
#include "core/steps/steps.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {

struct SampledLoop {
  static constexpr std::int64_t kStep = 1'000'000;

  TraceMaker make;
  Steps steps;
  std::int64_t now = 0;

  // A step, and its row.
  std::uint32_t step(std::int64_t length = kStep) {
    Step made;
    made.id = static_cast<std::int64_t>(steps.list.size());
    made.window = {now, now + length};
    steps.list.push_back(made);
    now += length;
    return static_cast<std::uint32_t>(steps.list.size() - 1);
  }

  void sample(std::int64_t time, DeviceCounter counter, double value, std::uint32_t device = 0,
              ProcessId process = 0) {
    Counters& c = make.data.counters;
    c.time.push_back(time);
    c.track.push_back(make.data.strings.intern(device_track(device, counter)));
    c.process.push_back(process);
    c.value.push_back(value);
  }

  // In the middle of the latest step.
  void sample_here(DeviceCounter counter, double value) {
    const Interval window = steps.list.back().window;
    sample((window.begin + window.end) / 2, counter, value);
  }

  std::vector<std::uint32_t> all_rows() const {
    std::vector<std::uint32_t> rows(steps.list.size());
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
  }
};

}  // namespace stepscope
