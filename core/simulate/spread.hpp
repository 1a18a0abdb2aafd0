// SPDX-License-Identifier: Apache-2.0
// How far a forecast may be off: its uncertainties, as 90 % to either side.
//
// Steps vary, their gains do not follow from their times alone, the replay errs, an edit does not know
// the repaired program, and from one run to the next host work takes longer or shorter. These are
// independent, so their squares add up.
// Internal to core/simulate.
#pragma once

#include <cstddef>
#include <vector>

#include "core/simulate/replayed_steps.hpp"

namespace stepscope {

// Returns ns of a step. `replay_error`: ReplayCheck::error.
double spread_ns(const ReplayedSteps& steps, const FixedSteps& fixed, double replay_error);

// Standard error of the mean of these values; 0 for fewer than two.
double standard_error(const std::vector<double>& values);

// Values of a sample, each with what goes with it and the number of members that it stands for.
class WeightedLine {
 public:
  struct Point {
    double x = 0, y = 0, weight = 1;
  };
  void add(Point point) { points_.push_back(point); }

  // Returns the standard error of the weighted sum of y: by how far each lies off the straight line that
  // the points of different x make; off their mean where all x are one, or of three points or less.
  double error_of_sum() const;

 private:
  std::vector<Point> points_;
};

// Standard deviations to both sides of a mean of n values that hold 90 % (Student's t, by the
// expansion of Cornish and Fisher), for another mean of as many.
double ninety_percent(std::size_t n);

}  // namespace stepscope
