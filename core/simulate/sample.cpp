// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/sample.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

// Counts the events of steps: their number is what a replay costs.
class EventCount {
 public:
  EventCount(const Trace& trace, const Steps& steps) : trace_(trace), steps_(steps) {}

  std::uint64_t of(std::uint32_t row) const {
    const Interval time = host_time_of(steps_, row);
    return 1 + ranges_in(trace_, steps_.thread, time) + ops_in(trace_, time);
  }
  std::uint64_t of(const StepInSample& step) const { return of(step.row); }
  template <class Row>
  std::uint64_t of(const std::vector<Row>& rows) const {
    std::uint64_t out = 0;
    for (const Row& row : rows) out += of(row);
    return out;
  }

 private:
  const Trace& trace_;
  const Steps& steps_;
};

double time_of(const Steps& steps, std::uint32_t row) {
  return static_cast<double>(steps.list[row].wall_ns());
}

// Where the steps lie on the line of the summed square roots of their times: the middle of each.
std::vector<double> places_of(const Steps& steps, const std::vector<std::uint32_t>& by_time,
                              double& whole) {
  std::vector<double> out;
  whole = 0;
  for (const std::uint32_t row : by_time) {
    const double root = std::sqrt(time_of(steps, row));
    out.push_back(whole + root / 2);
    whole += root;
  }
  return out;
}

// Returns a step for each share of the line that holds any, by row. `by_time`: rows.
std::vector<StepInSample> middles_of_shares(const Steps& steps,
                                            const std::vector<std::uint32_t>& by_time,
                                            std::size_t shares) {
  double whole = 0;
  const std::vector<double> places = places_of(steps, by_time, whole);
  const auto first_at = [&](double share) {
    const double place = whole * share / static_cast<double>(shares);
    return static_cast<std::size_t>(std::ranges::lower_bound(places, place) - places.begin());
  };
  std::vector<StepInSample> out;
  for (std::size_t share = 0, begin = 0; share < shares; ++share) {
    const auto at = static_cast<double>(share);
    const std::size_t end = share + 1 == shares ? places.size() : first_at(at + 1);
    if (begin == end) continue;
    const std::size_t middle = std::clamp(first_at(at + 0.5), begin, end - 1);
    double time = 0;
    for (; begin < end; ++begin) time += time_of(steps, by_time[begin]);
    const double own = time_of(steps, by_time[middle]);
    if (own > 0) out.push_back({by_time[middle], time / own});
  }
  return out;
}

// Steps of one kind, by their time.
struct Stratum {
  std::vector<std::uint32_t> by_time;
  double roots = 0;  // sum of the square roots of their times
};

std::vector<Stratum> strata_of(const Steps& steps, const std::vector<std::uint32_t>& by_time,
                               const StepKinds& kinds) {
  std::map<std::uint32_t, Stratum> by_kind;
  for (const std::uint32_t row : by_time) {
    Stratum& own = by_kind[kinds.empty() ? 0 : kinds[row]];
    own.by_time.push_back(row);
    own.roots += std::sqrt(time_of(steps, row));
  }
  std::vector<Stratum> out;
  for (auto& [kind, stratum] : by_kind) out.push_back(std::move(stratum));
  return out;
}

// Returns about `wanted` steps by row, one of each stratum at least.
std::vector<StepInSample> sample_of(const Steps& steps, const std::vector<Stratum>& strata,
                                    std::size_t wanted) {
  double roots = 0;
  for (const Stratum& one : strata) roots += one.roots;
  std::vector<StepInSample> out;
  for (const Stratum& one : strata) {
    const double share = static_cast<double>(wanted) * one.roots / roots;
    const auto own = static_cast<std::size_t>(std::max(1LL, std::llround(share)));
    const auto steps_of_it =
        middles_of_shares(steps, one.by_time, std::min(own, one.by_time.size()));
    out.insert(out.end(), steps_of_it.begin(), steps_of_it.end());
  }
  std::ranges::sort(out, {}, &StepInSample::row);
  return out;
}

constexpr double kPartOfTheStep = 0.05;  // least share of a step that is a phase
constexpr double kKindMatters = 0.01;    // share of all time

}  // namespace

StepKinds kinds_of_steps(const Attribution& attribution, const Steps& steps,
                         const std::vector<std::uint32_t>& counted) {
  std::map<std::uint32_t, std::map<PhaseId, std::int64_t>> phases;  // by row
  for (const Cell& cell : attribution.process.cells)
    if (cell.phase != 0) phases[cell.step][cell.phase] += cell.ns;
  const auto has = [&](std::uint32_t row, std::int64_t ns) {
    return static_cast<double>(ns) >= kPartOfTheStep * time_of(steps, row);
  };
  std::map<PhaseId, std::size_t> steps_with;
  double all = 0;
  for (const std::uint32_t row : counted) {
    all += time_of(steps, row);
    for (const auto& [phase, ns] : phases[row]) steps_with[phase] += has(row, ns) ? 1U : 0U;
  }
  std::map<std::vector<PhaseId>, std::vector<std::uint32_t>> rows;  // by their seldom phases
  for (const std::uint32_t row : counted) {
    std::vector<PhaseId> seldom;
    for (const auto& [phase, ns] : phases[row])
      if (has(row, ns) && 2 * steps_with[phase] < counted.size()) seldom.push_back(phase);
    rows[seldom].push_back(row);
  }
  StepKinds out(steps.list.size(), 0);
  std::uint32_t kind = 0;
  for (const auto& [seldom, of_kind] : rows) {
    double time = 0;
    for (const std::uint32_t row : of_kind) time += time_of(steps, row);
    if (seldom.empty() || time < kKindMatters * all) continue;
    ++kind;
    for (const std::uint32_t row : of_kind) out[row] = kind;
  }
  return out;
}

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

std::vector<StepInSample> sample_steps(const Trace& trace, const Steps& steps,
                                       const std::vector<std::uint32_t>& counted,
                                       const StepKinds& kinds, std::uint64_t budget) {
  const EventCount events(trace, steps);
  std::vector<std::uint32_t> by_time = counted;
  std::stable_sort(by_time.begin(), by_time.end(), [&](std::uint32_t a, std::uint32_t b) {
    return steps.list[a].wall_ns() < steps.list[b].wall_ns();
  });
  std::vector<StepInSample> out;
  if (events.of(counted) <= budget || counted.size() <= kFewestReplayedSteps) {
    for (const std::uint32_t row : counted) out.push_back({row});
    return out;
  }
  const std::vector<Stratum> strata = strata_of(steps, by_time, kinds);
  for (std::size_t wanted = counted.size() - 1;;) {
    out = sample_of(steps, strata, wanted);
    const std::uint64_t held = events.of(out);
    if (held <= budget || wanted <= kFewestReplayedSteps) return out;
    const std::size_t fewer = wanted * budget / held;
    wanted = std::max(kFewestReplayedSteps, std::min(wanted - 1, fewer));
  }
}

}  // namespace stepscope
