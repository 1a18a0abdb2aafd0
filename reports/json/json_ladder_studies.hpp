// SPDX-License-Identifier: Apache-2.0
// What rungs bring whatever their order, and a few rungs at several micro-batches, as one JSON
// document each: "stepscope.ladder_orders/1" and "stepscope.ladder_sweep/1" (reports/schema).
#pragma once

#include <string>

#include "core/ladder/orders.hpp"
#include "core/ladder/sweep.hpp"

namespace stepscope {

std::string json_orders(const RungOrders& orders);
std::string json_sweep(const LadderSweep& sweep);

}  // namespace stepscope
