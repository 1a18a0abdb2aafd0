// SPDX-License-Identifier: Apache-2.0
// What rungs bring whatever their order, and a few rungs at several micro-batches, as text.
#pragma once

#include <string>

#include "core/ladder/orders.hpp"
#include "core/ladder/sweep.hpp"
#include "reports/text/style.hpp"

namespace stepscope {

std::string text_orders(const RungOrders& orders, const Style& style);
std::string text_sweep(const LadderSweep& sweep, const Style& style);

}  // namespace stepscope
