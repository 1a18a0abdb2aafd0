// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/sample.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// Host ranges of the loop's thread and launches elsewhere are in proportion, so these stand for
// all.
std::uint64_t ranges_in(const Trace& trace, ThreadId thread, Interval time) {
  const Rows rows = trace.ranges_of(thread);
  const auto& begin = trace.host_ranges().begin;
  const auto first = begin.begin() + rows.begin;
  const auto last = begin.begin() + rows.end;
  return static_cast<std::uint64_t>(std::lower_bound(first, last, time.end) -
                                    std::lower_bound(first, last, time.begin));
}

std::uint64_t ops_in(const Trace& trace, Interval time) {
  const auto& begin = trace.device_ops().begin;
  return static_cast<std::uint64_t>(std::lower_bound(begin.begin(), begin.end(), time.end) -
                                    std::lower_bound(begin.begin(), begin.end(), time.begin));
}

}  // namespace

Interval host_time_of(const Steps& steps, std::uint32_t row) {
  const Interval own = steps.list[row].host;
  if (row == 0 || steps.list[row - 1].window.end < steps.list[row].window.begin) return own;
  return {std::min(steps.list[row - 1].host.end, own.end), own.end};
}

std::vector<std::uint32_t> from_time_on(const Steps& steps, std::vector<std::uint32_t> counted,
                                        std::int64_t time) {
  const auto first = std::ranges::find_if(
      counted, [&](std::uint32_t row) { return steps.list[row].host.begin >= time; });
  if (2 * (counted.end() - first) >= static_cast<std::ptrdiff_t>(counted.size()))
    counted.erase(counted.begin(), first);
  return counted;
}

std::vector<std::uint32_t> sample_steps(const Trace& trace, const Steps& steps,
                                        const std::vector<std::uint32_t>& counted,
                                        std::uint64_t budget) {
  if (counted.empty()) return {};
  std::uint64_t events = 0;
  for (const std::uint32_t row : counted) {
    const Interval time = host_time_of(steps, row);
    events += 1 + ranges_in(trace, steps.thread, time) + ops_in(trace, time);
  }
  const std::size_t fits = static_cast<std::size_t>(budget * counted.size() / events);
  const std::size_t wanted = std::max(fits, kFewestReplayedSteps);
  if (wanted >= counted.size()) return counted;
  std::vector<std::uint32_t> by_time = counted;
  std::stable_sort(by_time.begin(), by_time.end(), [&](std::uint32_t a, std::uint32_t b) {
    return steps.list[a].wall_ns() < steps.list[b].wall_ns();
  });
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < wanted; ++i)
    chosen.push_back(by_time[(2 * i + 1) * by_time.size() / (2 * wanted)]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace stepscope
