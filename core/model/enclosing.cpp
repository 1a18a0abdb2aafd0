// SPDX-License-Identifier: Apache-2.0
#include "core/model/row_order.hpp"

namespace stepscope {

// Nothing between a range and its own enclosing one outlives it, so these are stepped over
// together; each is stepped over once at most, since who did so hides it from all later ones.
std::vector<RangeId> enclosing_ranges(const HostRanges& ranges) {
  std::vector<RangeId> enclosing(ranges.size(), kNone);
  for (RangeId r = 0; r < ranges.size(); ++r) {
    RangeId around = ranges.parent[r];
    while (around != kNone && ranges.end[around] < ranges.end[r]) around = enclosing[around];
    enclosing[r] = around;
  }
  return enclosing;
}

}  // namespace stepscope
