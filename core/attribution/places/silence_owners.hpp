// SPDX-License-Identifier: Apache-2.0
// Whose the time between the records of two lines is. Samples fall into it in some steps only; what
// they show there holds for the steps without one: a checkpoint of 5 ms whose only records are at its
// begin goes on until the loop's next record, also where samples are 10 ms apart.
#pragma once

#include <map>
#include <utility>

#include "core/attribution/places/line_periods.hpp"

namespace stepscope {

class SilenceOwners {
 public:
  SilenceOwners(const std::vector<SeenLine>& seen, const LinePeriods& periods);

  // Whether most samples between such records are at lines with the first one's period.
  bool go_on_with(const Line& first, const Line& next) const;

 private:
  std::map<std::pair<Line, Line>, std::int64_t> more_;  // samples that are, less those that are not
};

}  // namespace stepscope
