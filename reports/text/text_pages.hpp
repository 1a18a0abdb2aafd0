// SPDX-License-Identifier: Apache-2.0
// Results as text for a terminal, one function for each kind of result.
#pragma once

#include <string>

#include "core/compare/comparison.hpp"
#include "core/gate/history.hpp"
#include "core/gate/verdict.hpp"
#include "core/ladder/ladder.hpp"
#include "core/ladder/orders.hpp"
#include "core/ladder/sweep.hpp"
#include "core/simulate/whatif.hpp"
#include "core/summary/summary.hpp"
#include "reports/text/style.hpp"

namespace stepscope {

// One screen: verdict, where the step goes, phases, lines, device ops, how the devices were, steps,
// and how far to trust it. At most 100 columns, unless names stay whole; about 50 lines.
std::string text_report(const Summary& summary, const Style& style);

// Why run B's step differs from run A's, as one screen: the two runs, the parts from A's step to
// B's, the same by cause and phase, work that was replaced, and how much work a step does. At most
// 100 columns. Where the runs cannot be compared: why, and no table.
std::string text_diff(const Comparison& comparison, const Style& style);

// A gate's verdict for a terminal: what failed and where, then every metric, the runs and what else
// must be known.
std::string text_gate(const GateVerdict& verdict, const Style& style);

// A history of stored results for a terminal: each metric's verdict, its changes of level, and what
// was left out.
std::string text_history(const History& history, const Style& style);

// A ladder for a terminal: from the first rung to the last, a row a rung, and what each changed.
std::string text_ladder(const Ladder& ladder, const Style& style);

// What rungs bring whatever their order, and a few rungs at several micro-batches, as text.
std::string text_orders(const RungOrders& orders, const Style& style);
std::string text_sweep(const LadderSweep& sweep, const Style& style);

// What fixes would give, as a table for a terminal.
std::string text_whatif(const WhatIf& whatif, const Style& style);

}  // namespace stepscope
