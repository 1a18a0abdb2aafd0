// SPDX-License-Identifier: Apache-2.0
// Finds which lines of a loop's thread run in every n-th step, by records and samples.
//
// A record tells each time that a line ran; samples may miss it. So a line that samples alone show is
// taken to run as often as another whose steps hold all of its own, unless samples would hardly have
// missed it in all the rest by chance. A function has a period as a whole, too, since samples see few
// of its lines each time.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

struct Line {
  StringId file, function;
  std::uint32_t number;
  bool is_behind;  // a line of the steps' own that runs once more behind them
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison's own 0 for a pointer
  auto operator<=>(const Line&) const = default;
};

// A record or a sample of the loop's thread that has a line. What lies between the records of two
// steps counts to the earlier one, whose last line may still run.
struct SeenLine {
  Interval time;
  std::uint32_t step = 0;
  Line line;
  bool is_record = false;
};

struct Period {
  std::uint32_t n = 0;
  std::uint32_t first = 0;  // step, below n or n itself
  bool operator==(const Period&) const = default;
};

class LinePeriods {
 public:
  LinePeriods(const std::vector<SeenLine>& seen, std::size_t steps);

  // Returns the period of the line, or of its function; null: it has none.
  const Period* at(Line line) const;

 private:
  using Periods = std::map<Line, Period>;

  std::vector<Period> known() const;  // by n
  Periods lines_;
  Periods functions_;  // as lines 0
};

// Tells which line the time between the records of two lines belongs to. Samples fall into it in some
// steps only; what they show there holds for the steps without one: a checkpoint of 5 ms whose only records are at its
// begin goes on until the loop's next record, also where samples are 10 ms apart.
class SilenceOwners {
 public:
  SilenceOwners(const std::vector<SeenLine>& seen, const LinePeriods& periods);

  // Whether most samples between such records are at lines with the first one's period.
  bool go_on_with(const Line& first, const Line& next) const;

 private:
  std::map<std::pair<Line, Line>, std::int64_t> more_;  // samples that are, less those that are not
};

}  // namespace stepscope
