// SPDX-License-Identifier: Apache-2.0
// Steps whose time is owned as a test says, and their sums.
#pragma once

#include <algorithm>
#include <optional>

#include "core/summary/summary.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {

// One step a window of 100 us; the device works, waits and is launched as the test says.
struct SimpleSteps {
  TraceMaker make;
  Steps steps;
  Attribution attribution;

  SimpleSteps() {
    attribution.phases = {{"(no phase)", 0}};
    steps.found_by = FoundBy::profiler_step;
  }

  void step(std::int64_t length, bool steady = true) {
    const std::int64_t begin = steps.list.empty() ? 1'000 : steps.list.back().window.end;
    Step s;
    s.id = static_cast<std::int64_t>(steps.list.size());
    s.window = {begin, begin + length};
    s.host = s.window;
    s.steady = steady;
    if (!steady) s.why_not_steady = "warm-up";
    steps.list.push_back(s);
  }

  // Owned time in the last step; device causes are busy time.
  void own(Cause cause, std::int64_t ns, PhaseId phase = 0, SiteId site = kNone) {
    const Interval window = steps.list.back().window;
    Partition& p = attribution.process;
    const std::int64_t begin =
        p.segments.empty() ? window.begin : std::max(window.begin, p.segments.back().time.end);
    const Interval time{begin, begin + ns};
    p.segments.push_back({time, cause, phase, site, 0, kNone});
    p.cells.push_back({static_cast<std::uint32_t>(steps.list.size() - 1), cause, phase, site, ns});
    if (is_device_busy(cause))
      p.busy = unite([&] {
        auto b = p.busy;
        b.push_back(time);
        return b;
      }());
  }

  Summary sum(SummaryOptions options = {}) {
    make.thread(1);
    trace = make.build();
    return summarize(*trace, steps, attribution, options);
  }

  std::optional<Trace> trace;
};

inline SimpleSteps loop_with(std::int64_t busy, std::int64_t wait) {
  SimpleSteps s;
  for (int i = 0; i < 3; ++i) {
    s.step(busy + wait);
    s.own(Cause::gpu_gemm, busy);
    s.own(Cause::host_python, wait);
  }
  return s;
}

}  // namespace stepscope
