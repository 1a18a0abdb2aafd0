// SPDX-License-Identifier: Apache-2.0
// Whether a count of work rose: kernels, launches, waits, copies, bytes, allocations a step.
//
// Counts are near-exact, so one run a side is enough. What remains unsure is the window: work that
// does not run every step (evaluation, logging) may fall into it once more or once less. A run's
// count a step is therefore known to within (most - least) / steps, where least and most are those
// of single steps. With the runs' lowest and highest values so widened,
//   regression    lowest candidate > highest baseline x (1 + tolerance), or, with tolerance, nine of
//                 ten steps of the candidate do more than nine of ten of the baseline (their 10th and
//                 90th percentile), and no run of the candidate did less in all than one of the baseline
//   pass          highest candidate <= highest baseline x (1 + tolerance), both without the doubt
// and between the two it is inconclusive, unless the recordings as wholes settle it: where all runs
// hold equally many steps and no recording of the candidate holds more of the work than one of the
// baseline, nor less than all of them, the runs' windows differ and their work does not.
#include "core/gate/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace stepscope {
namespace {

// Rounding of sums and quotients, far below one event in any run.
constexpr double kRounding = 1e-12;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  double lowest =
      std::numeric_limits<double>::infinity();  // the least mean, not widened by doubt()
  double highest = 0;
  std::uint64_t p10 = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t p90 = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
};

Range range_of(const std::vector<CountedWork>& runs) {
  Range out;
  for (const CountedWork& run : runs) {
    out.low = std::min(out.low, run.per_step() - run.doubt());
    out.high = std::max(out.high, run.per_step() + run.doubt());
    out.lowest = std::min(out.lowest, run.per_step());
    out.highest = std::max(out.highest, run.per_step());
    out.p10 = std::min(out.p10, run.p10.value_or(run.least));
    out.p90 = std::max(out.p90, run.p90.value_or(run.most));
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

bool most_steps_do_more(const Range& b, const Range& c, double allowed) {
  return exceeds(static_cast<double>(c.p10), static_cast<double>(b.p90) * allowed) &&
         exceeds(c.lowest, b.highest * allowed);
}

struct Whole {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
};

// Nothing where a run is without it, or holds another number of steps.
std::optional<Whole> whole_of(const std::vector<CountedWork>& runs, std::uint64_t steps) {
  Whole out;
  for (const CountedWork& run : runs) {
    if (!run.in_recording || run.steps_recorded != steps) return std::nullopt;
    out.least = std::min(out.least, *run.in_recording);
    out.most = std::max(out.most, *run.in_recording);
  }
  return out;
}

bool same_in_whole(const std::vector<CountedWork>& baseline,
                   const std::vector<CountedWork>& candidate, double allowed) {
  const std::uint64_t steps = baseline.front().steps_recorded;
  const auto b = whole_of(baseline, steps);
  const auto c = whole_of(candidate, steps);
  return b && c && c->least >= b->least &&
         !exceeds(static_cast<double>(c->most), static_cast<double>(b->most) * allowed);
}

}  // namespace

void judge_count(const std::vector<CountedWork>& baseline,
                 const std::vector<CountedWork>& candidate, double tolerance, MetricResult& out) {
  const Range b = range_of(baseline);
  const Range c = range_of(candidate);
  const double allowed = 1 + tolerance;
  if (out.baseline > 0.0 && out.candidate) out.ratio = *out.candidate / *out.baseline;
  const bool most_do_more = most_steps_do_more(b, c, allowed);
  if (exceeds(c.low, b.high * allowed) || most_do_more) {
    out.outcome = Outcome::regression;
    out.why = !most_do_more ? "more a step than the baseline, whichever steps the runs hold"
              : c.least > b.most
                  ? "every step of the candidate does more than any of the baseline"
                  : "nine of ten steps of the candidate do more than nine of ten of the baseline";
  } else if (!exceeds(c.highest, b.highest * allowed)) {
    out.outcome = Outcome::pass;
    out.why = same_everywhere(b, c) ? "the same in every step" : "no more than the baseline";
  } else if (same_in_whole(baseline, candidate, allowed)) {
    out.outcome = Outcome::pass;
    out.why = "no more than the baseline in the whole recordings; only the counted windows differ";
  } else {
    out.outcome = Outcome::inconclusive;
    out.why =
        "more a step than the baseline, but not more than one irregular step more or less in the "
        "recorded window would make; record more steps";
  }
}

}  // namespace stepscope
