// SPDX-License-Identifier: Apache-2.0
#include "core/gate/count_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stepscope {
namespace {

// Rounding of sums and quotients, far below one event in any run.
constexpr double kRounding = 1e-12;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  double highest = 0;  // of the runs' own values, without the doubt
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
};

Range range_of(const std::vector<CountedWork>& runs) {
  Range out;
  for (const CountedWork& run : runs) {
    out.low = std::min(out.low, run.per_step() - run.doubt());
    out.high = std::max(out.high, run.per_step() + run.doubt());
    out.highest = std::max(out.highest, run.per_step());
    out.least = std::min(out.least, run.least);
    out.most = std::max(out.most, run.most);
  }
  return out;
}

bool exceeds(double value, double limit) {
  return value > limit * (1 + kRounding) + kRounding;
}

bool same_everywhere(const Range& b, const Range& c) {
  return b.least == b.most && c.least == c.most && b.least == c.least;
}

}  // namespace

void judge_count(const std::vector<CountedWork>& baseline,
                 const std::vector<CountedWork>& candidate, double tolerance, MetricResult& out) {
  const Range b = range_of(baseline);
  const Range c = range_of(candidate);
  const double allowed = 1 + tolerance;
  if (out.baseline > 0.0 && out.candidate) out.ratio = *out.candidate / *out.baseline;
  const bool each_step_more =
      exceeds(static_cast<double>(c.least), static_cast<double>(b.most) * allowed);
  if (exceeds(c.low, b.high * allowed) || each_step_more) {
    out.outcome = Outcome::regression;
    out.why = each_step_more ? "every step of the candidate does more than any of the baseline"
                             : "more a step than the baseline, whichever steps the runs hold";
  } else if (!exceeds(c.highest, b.highest * allowed)) {
    out.outcome = Outcome::pass;
    out.why = same_everywhere(b, c) ? "the same in every step" : "no more than the baseline";
  } else {
    out.outcome = Outcome::inconclusive;
    out.why =
        "more a step than the baseline, but not more than one irregular step more or less in the "
        "recorded window would make; record more steps";
  }
}

}  // namespace stepscope
