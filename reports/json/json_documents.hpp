// SPDX-License-Identifier: Apache-2.0
// Results as JSON documents, whose schemas are in reports/schema.
#pragma once

#include <string>
#include <vector>

#include "core/compare/comparison.hpp"
#include "core/gate/history.hpp"
#include "core/gate/verdict.hpp"
#include "core/ladder/ladder.hpp"
#include "core/ladder/orders.hpp"
#include "core/ladder/sweep.hpp"
#include "core/simulate/whatif.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// The report as one JSON document, schema "stepscope.report/1"
// (reports/schema/report-1.schema.json). Whatever must sum is an integer `..._ns_total`;
// `..._per_step` is derived from it. Shares are 0..1.
std::string json_report(const Summary& summary);

// Several traces: { "schema": "stepscope.reports/1", "reports": [ ... ] }.
std::string json_reports(const std::vector<Summary>& summaries);

// A comparison as one JSON document, schema "stepscope.diff/1" (reports/schema/diff-1.schema.json).
// Every `..._ns_total` is an integer over `steps` steps of each side, and each table sums to
// `delta_ns_total`; `..._per_step` is derived. Where the runs cannot be compared, the tables are
// empty and `why_not` says why.
std::string json_diff(const Comparison& comparison);

// A ladder as one JSON document, schema "stepscope.ladder/1" (reports/schema/ladder-1.schema.json).
// A rung's parts sum to its wall_ns, its changes to the difference from the rung below.
std::string json_ladder(const Ladder& ladder);

// What rungs bring whatever their order, and a few rungs at several micro-batches, as one JSON
// document each: "stepscope.ladder_orders/1" and "stepscope.ladder_sweep/1" (reports/schema).
std::string json_orders(const RungOrders& orders);
std::string json_sweep(const LadderSweep& sweep);

// What fixes would give as one JSON document, schema "stepscope.whatif/1"
// (reports/schema/whatif-1.schema.json).
std::string json_whatif(const WhatIf& whatif);

// Results of the gate as JSON documents.

// A gate's verdict as one JSON document, schema "stepscope.gate/1"
// (reports/schema/gate-1.schema.json). Values are of a step: counts, bytes or ns.
std::string json_gate(const GateVerdict& verdict);

// A history of stored results as one JSON document, schema "stepscope.history/1"
// (reports/schema/history-1.schema.json).
std::string json_history(const History& history);

}  // namespace stepscope
