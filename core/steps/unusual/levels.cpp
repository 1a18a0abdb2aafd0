// SPDX-License-Identifier: Apache-2.0
#include "core/steps/unusual/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "core/support/duration.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kFewestSteps = 8;
constexpr std::size_t kLeastOfRun = 20;  // a twentieth
constexpr double kNearly = 0.9;
constexpr double kAnotherTime = 1.25;
constexpr std::size_t kMostLevels = 6;  // more are no stages: the note would tell nothing

using Walls = std::vector<std::int64_t>;

// Equal times have one rank, the mean of their places.
std::vector<double> ranks_of(const Walls& walls) {
  std::vector<std::size_t> order(walls.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return walls[i]; });
  std::vector<double> out(walls.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && walls[order[end]] == walls[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) out[order[i]] = rank;
  }
  return out;
}

// Returns the first place of the second side.
std::size_t sharpest_boundary(const Walls& walls, std::size_t least) {
  const std::vector<double> ranks = ranks_of(walls);
  const auto n = static_cast<double>(walls.size());
  std::size_t best = 0;
  double most = 0, beyond_mean = 0;
  for (std::size_t k = 1; k < walls.size(); ++k) {
    beyond_mean += ranks[k - 1] - (n - 1) / 2;
    const auto left = static_cast<double>(k);
    const double difference = beyond_mean * beyond_mean / (left * (n - left));
    if (k < least || walls.size() - k < least || difference <= most) continue;
    most = difference;
    best = k;
  }
  return best;
}

bool is_another_level(const Walls& a, const Walls& b) {
  const auto is_shorter = [](const Walls& low, const Walls& high) {
    return percentile(low, kNearly) < percentile(high, 1 - kNearly) &&
           static_cast<double>(median(high)) >= kAnotherTime * static_cast<double>(median(low));
  };
  return is_shorter(a, b) || is_shorter(b, a);
}

// Adds the first places of the stretches that the sharpest boundaries make, in order.
void divide(std::span<const std::int64_t> walls, std::size_t first, std::size_t least,
            std::vector<std::size_t>& out) {
  const Walls all(walls.begin(), walls.end());
  const std::size_t at = all.size() < 2 * least ? 0 : sharpest_boundary(all, least);
  if (at == 0) {
    out.push_back(first);
    return;
  }
  divide(walls.first(at), first, least, out);
  divide(walls.subspan(at), first + at, least, out);
}

}  // namespace

std::vector<Level> levels_of(const Walls& walls) {
  if (walls.empty()) return {};
  std::vector<std::size_t> begins;
  divide(walls, 0, std::max(kFewestSteps, walls.size() / kLeastOfRun), begins);
  begins.push_back(walls.size());
  std::vector<Walls> stretches;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const Walls next(walls.begin() + static_cast<std::ptrdiff_t>(begins[i]),
                     walls.begin() + static_cast<std::ptrdiff_t>(begins[i + 1]));
    if (stretches.empty() || is_another_level(stretches.back(), next))
      stretches.push_back(next);
    else
      stretches.back().insert(stretches.back().end(), next.begin(), next.end());
  }
  std::vector<Level> out;
  for (const Walls& one : stretches) {
    const std::size_t first = out.empty() ? 0 : out.back().last + 1;
    out.push_back({first, first + one.size() - 1, median(one)});
  }
  return out;
}

void note_levels(Steps& steps) {
  Walls walls;
  std::vector<std::int64_t> ids;
  for (const Step& step : steps.list) {
    if (!step.steady || !step.wall_known) continue;
    walls.push_back(step.wall_ns());
    ids.push_back(step.id);
  }
  const std::vector<Level> levels = levels_of(walls);
  if (levels.size() < 2 || levels.size() > kMostLevels) return;
  std::string text;
  for (const Level& level : levels)
    text += fmt::format("{}{} in steps {} to {}", text.empty() ? "" : ", ",
                        format_duration(static_cast<double>(level.median_ns)), ids[level.first],
                        ids[level.last]);
  steps.notes.push_back(fmt::format(
      "the usual step changes in the run: {}; what is said of a step is the mean of all "
      "(report --steps {}:{} is of one of these parts)",
      text, ids[levels[1].first], ids[levels[1].last]));
}

}  // namespace stepscope
