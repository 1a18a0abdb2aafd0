// SPDX-License-Identifier: Apache-2.0
// Several runs a side: the run in the middle stands for its side, and the spread over all pairs is
// told.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/compare/comparison.hpp"

namespace stepscope {
namespace {

PerCause<double> parts_per_step(const Summary& summary) {
  PerCause<double> out{};
  const double n = static_cast<double>(std::max<std::uint64_t>(1, summary.partition.steps_counted));
  for (const PartSum& part : summary.partition.parts)
    out[index_of(part.cause)] = static_cast<double>(part.ns_total) / n;
  return out;
}

std::vector<PerCause<double>> parts_of(const std::vector<Summary>& runs) {
  std::vector<PerCause<double>> out;
  for (const Summary& run : runs) out.push_back(parts_per_step(run));
  return out;
}

// The run whose parts have the least distance to those of the others.
std::size_t medoid(const std::vector<PerCause<double>>& runs) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    double sum = 0;
    for (const PerCause<double>& other : runs)
      for (std::size_t c = 0; c < kCauseCount; ++c) sum += std::abs(runs[i][c] - other[c]);
    if (sum < least) {
      least = sum;
      best = i;
    }
  }
  return best;
}

template <class F>
std::pair<double, double> range_over_pairs(const std::vector<PerCause<double>>& a,
                                           const std::vector<PerCause<double>>& b, F value) {
  const auto extremes = [&](const std::vector<PerCause<double>>& runs) {
    std::vector<double> values;
    for (const PerCause<double>& run : runs) values.push_back(value(run));
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return std::pair(*low, *high);
  };
  const auto of_a = extremes(a);
  const auto of_b = extremes(b);
  return {of_b.first - of_a.second, of_b.second - of_a.first};
}

double wall_of(const PerCause<double>& run) {
  return std::accumulate(run.begin(), run.end(), 0.0);
}

}  // namespace

Comparison compare_runs(const std::vector<Summary>& a, const std::vector<Summary>& b,
                        const CompareOptions& options) {
  const std::vector<PerCause<double>> of_a = parts_of(a);
  const std::vector<PerCause<double>> of_b = parts_of(b);
  Comparison out = compare(a[medoid(of_a)], b[medoid(of_b)], options);
  out.a.runs = a.size();
  out.b.runs = b.size();
  if (a.size() + b.size() <= 2 || options.a_samples) return out;
  out.range_ns_per_step = range_over_pairs(of_a, of_b, wall_of);
  for (CauseDelta& row : out.causes) {
    row.range_ns_per_step = range_over_pairs(
        of_a, of_b, [&](const PerCause<double>& run) { return run[index_of(row.cause)]; });
  }
  return out;
}

}  // namespace stepscope
