// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/attribution.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope {
namespace {

std::string title(const Partition& p) {
  return p.device == Partition::kWholeProcess ? "process" : fmt::format("device {}", p.device);
}

void check_tiling(const Partition& p, Interval run, std::vector<std::string>& broken) {
  std::int64_t at = run.begin;
  for (const Segment& s : p.segments) {
    if (s.time.begin != at || s.time.empty()) {
      broken.push_back(
          fmt::format("{}: owners do not tile the run: {} ns missing or doubled at {} ns", title(p),
                      s.time.begin - at, s.time.begin));
      return;
    }
    at = s.time.end;
  }
  if (at != run.end) {
    broken.push_back(
        fmt::format("{}: owners end {} ns before the run does", title(p), run.end - at));
  }
}

void check_steps(const Partition& p, const Steps& steps, std::vector<std::string>& broken) {
  std::vector<std::int64_t> sums(steps.list.size(), 0);
  std::vector<std::int64_t> busy(steps.list.size(), 0);
  for (const Cell& cell : p.cells) {
    sums[cell.step] += cell.ns;
    if (is_device_busy(cell.cause)) busy[cell.step] += cell.ns;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Step& step = steps.list[i];
    if (sums[i] != step.wall_ns()) {
      broken.push_back(fmt::format("{}: step {}: parts sum to {} ns, wall is {} ns", title(p),
                                   step.id, sums[i], step.wall_ns()));
    }
    const std::int64_t expected = total_length(clip(p.busy, step.window));
    if (busy[i] != expected) {
      broken.push_back(fmt::format("{}: step {}: device parts sum to {} ns, the ops cover {} ns",
                                   title(p), step.id, busy[i], expected));
    }
  }
}

}  // namespace

std::vector<std::string> check_invariants(const Steps& steps, const Partition& partition) {
  std::vector<std::string> broken;
  if (steps.list.empty()) return broken;
  check_tiling(partition, {steps.list.front().window.begin, steps.list.back().window.end}, broken);
  check_steps(partition, steps, broken);
  return broken;
}

std::vector<std::string> check_unknown_budget(const Steps& steps, const Partition& partition) {
  const auto counts = [](const Step& step) { return step.steady && step.wall_known; };
  const bool any = std::any_of(steps.list.begin(), steps.list.end(), counts);
  std::int64_t total = 0;
  std::int64_t unknown = 0;
  for (const Cell& cell : partition.cells) {
    if (any && !counts(steps.list[cell.step])) continue;
    total += cell.ns;
    if (is_unexplained(cell.cause)) unknown += cell.ns;
  }
  const double share = total > 0 ? static_cast<double>(unknown) / static_cast<double>(total) : 0;
  if (share <= kUnknownBudget) return {};
  return {fmt::format("{}: {:.1f} % of the wall time has no explanation (budget {:.0f} %)",
                      title(partition), 100 * share, 100 * kUnknownBudget)};
}

}  // namespace stepscope
