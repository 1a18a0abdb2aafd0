// SPDX-License-Identifier: Apache-2.0
// What rungs bring whatever their order, and a few rungs at several micro-batches, as a page each.
#pragma once

#include <string>

#include "core/ladder/orders.hpp"
#include "core/ladder/sweep.hpp"

namespace stepscope {

std::string html_orders(const RungOrders& orders);
std::string html_sweep(const LadderSweep& sweep);

}  // namespace stepscope
