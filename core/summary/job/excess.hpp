// SPDX-License-Identifier: Apache-2.0
// What one rank did more than another in the same time: the reasons why it came late.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/summary/job/rank_record.hpp"

namespace stepscope::job {

// Time by who owns it and whose work that is (a row of the records). A wait that was settled stands
// here as what it was charged to.
using Spent = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

struct Reason {
  std::uint32_t owner = 0;
  std::uint32_t by_rank = 0;
  double ns = 0;
};

// Positive amounts only. The same owner cancels whosever work it is; what is left cancels within a
// line, then within a phase.
std::vector<Reason> excess_of(const Spent& late, const Spent& other, const Owners& owners);

}  // namespace stepscope::job
