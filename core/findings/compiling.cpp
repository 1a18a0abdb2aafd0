// SPDX-License-Identifier: Apache-2.0
#include "core/findings/host_time.hpp"

#include "core/steps/compilation.hpp"

namespace stepscope::rules {
namespace {

IntervalSet compiling_times(const JudgedRun& run) {
  const HostRanges& h = run.trace.host_ranges();
  std::vector<Interval> times;
  for (const RangeId range : compilation_ranges(run.trace, run.steps.process))
    times.push_back({h.begin[range], h.end[range]});
  return unite(std::move(times));
}

}  // namespace

Compiling::Compiling(const JudgedRun& run) : times(compiling_times(run)) {}

std::int64_t Compiling::ns_in(const Segment& segment) const {
  if (segment.cause == Cause::host_module_load) return segment.time.length();
  return is_host(segment.cause) ? total_length(clip(times, segment.time)) : 0;
}

}  // namespace stepscope::rules
