// SPDX-License-Identifier: Apache-2.0
// Single rows of the JSON documents, for readers that serve a few rows instead of a document: the
// MCP server. Names and units are those of reports/schema. Errors: none; bytes that are no UTF-8
// are replaced when a row is written out.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "core/compare/comparison.hpp"
#include "core/gate/verdict.hpp"
#include "core/ladder/ladder.hpp"
#include "core/report/table.hpp"
#include "core/simulate/whatif.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::json_rows {

using Json = nlohmann::ordered_json;

// Rows of report-1. `steps`: those that the sums are over.
Json run(const RunFacts& run);
Json part(const PartSum& part, const PartitionSummary& partition);
Json partition(const PartitionSummary& partition);  // with its parts
Json phase(const PhaseRow& row, std::uint64_t steps);
Json count(const WorkCount& row, std::uint64_t steps);
Json line(const LineRow& row, std::uint64_t steps);
Json kernel(const KernelRow& row, std::uint64_t steps);
Json transfer(const TransferRow& row, std::uint64_t steps);
Json trust(const Trust& trust);
Json finding(const Finding& finding);
Json step(const Step& step, bool counted, const PerCause<std::int64_t>& parts);

// Writes a row of any table of a report: exact totals are "KEY_total", means and shares "KEY".
Json row(const report::Table& table, const report::Row& row);

// Rows of whatif-1, diff-1 and gate-1.
Json forecast(const Forecast& forecast);
Json fix(const WhatIfRow& row);
Json cause(const CauseDelta& row, const Comparison& comparison);
Json phase(const PhaseDelta& row, const Comparison& comparison);
Json line(const LineDelta& row, const Comparison& comparison);
Json part(const DeltaPart& part, const Comparison& comparison);
Json replacement(const Replacement& row);
Json count(const CountDelta& row);
Json metric(const MetricResult& metric);

}  // namespace stepscope::json_rows

namespace stepscope::ladder_fields {

// What the JSON documents of a ladder, of its orders and of its sweep have in common. Internal to
// reports/json.

using Json = nlohmann::ordered_json;

// Schema, tool, and what the runs were of.
Json head(const char* schema, const Ladder& ladder);
Json name(const RungName& rung);
Json estimate(const RepeatedMean& estimate);
Json rungs(const Ladder& ladder);
std::string written(const Json& document);

}  // namespace stepscope::ladder_fields
