// SPDX-License-Identifier: Apache-2.0
// The gain of each rung regardless of order: every subset of the rungs is measured on one base, and
// the gain of all together is shared out over all orders in which they can be switched on.
//
// A rung's share is the Shapley value of the logarithm of the rate, as a factor: the mean, over all
// orders, of what switching it on multiplies the rate by. So shares multiply to the whole gain.
// Each repeat has shares of its own, whose interval is Student's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ladder/ladder.hpp"

namespace stepscope {

struct SharedGain {
  RungName rung;
  RepeatedMean share;       // a factor
  RepeatedMean alone;       // over the base, no other one on
  RepeatedMean behind_all;  // over all the others
  // Range of its gains over each subset of the others, means over repeats.
  double least = 0, most = 0;
};

struct RungOrders {
  RungName base;
  Ladder subsets;  // subset i has the rungs on whose bits i has; its first is the base
  std::vector<SharedGain> rungs;  // empty where a subset did not run
  RepeatedMean in_all;            // all over the base
};

// `subsets` are 2^n, in the order of RungOrders::subsets.
RungOrders make_orders(std::string model, const RungName& base, const std::vector<RungName>& rungs,
                       const std::vector<RungRuns>& subsets, const LadderOptions& options = {});

// Returns the share of each of n in value[2^n - 1] - value[0]; `values` are the subsets' values, by
// their bits.
std::vector<double> shapley_values(const std::vector<double>& values, std::size_t count);

}  // namespace stepscope
