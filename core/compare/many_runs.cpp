// SPDX-License-Identifier: Apache-2.0
// Several runs a side: the run in the middle stands for its side, and the spread over all pairs is
// told.
#include <cmath>
#include <limits>

#include "core/compare/comparison.hpp"
#include "core/compare/matched_work.hpp"

namespace stepscope {
namespace {

using namespace compare_parts;

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

}  // namespace

Comparison compare_runs(const std::vector<Summary>& a, const std::vector<Summary>& b,
                        const CompareOptions& options) {
  const Summary& middle_a = a[medoid(parts_of(a))];
  const Summary& middle_b = b[medoid(parts_of(b))];
  Comparison out = compare(middle_a, middle_b, options);
  out.a.runs = a.size();
  out.b.runs = b.size();
  if (a.size() + b.size() <= 2 || out.steps == 0) return out;
  std::erase(out.warnings, noise_of_one_run(out));
  add_ranges(a, b, {middle_a, middle_b, scales_of(middle_a, middle_b, options)}, options, out);
  return out;
}

}  // namespace stepscope
