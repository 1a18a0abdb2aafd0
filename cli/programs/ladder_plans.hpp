// SPDX-License-Identifier: Apache-2.0
// Which runs of a trainer a ladder, a Shapley analysis or a sweep is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/programs/ladder_run.hpp"
#include "core/ladder/orders.hpp"
#include "core/ladder/sweep.hpp"

namespace stepscope {

// The rungs of "R0..R5" (both ends among them), or of "R0,R3b,R5"; of "" all. An Error names one
// that there is not, and those that there are.
Result<std::vector<RungName>> choose_rungs(const std::vector<RungName>& all,
                                           const std::string& wanted);

// Each with all below it.
std::vector<PlannedRun> runs_of_rungs(const std::vector<RungName>& rungs);

// Every subset of `rungs` on `base`, as RungOrders wants them.
struct OrdersPlan {
  RungName base;
  std::vector<RungName> rungs;  // in the ladder's order
};
inline constexpr std::size_t kMostInOrders = 6;  // 64 subsets
// `names` with commas; `base` empty: the rung below the first of them.
Result<OrdersPlan> plan_orders(const std::vector<RungName>& all, const std::string& names,
                               const std::string& base);
std::vector<PlannedRun> runs_of(const OrdersPlan& plan);

// Each rung at each micro-batch; the runs of one micro-batch lie beside each other.
std::vector<PlannedRun> runs_of_sweep(const std::vector<RungName>& rungs,
                                      const std::vector<std::int64_t>& micro_batches);
std::vector<SweepRuns> by_micro_batch(const std::vector<RungName>& rungs,
                                      const std::vector<std::int64_t>& micro_batches,
                                      const std::vector<RungRuns>& runs);

}  // namespace stepscope
