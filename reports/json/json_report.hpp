// SPDX-License-Identifier: Apache-2.0
// The report as one JSON document, schema "stepscope.report/1"
// (reports/schema/report-1.schema.json). Whatever must sum is an integer `..._ns_total`;
// `..._per_step` is derived from it. Shares are 0..1.
#pragma once

#include <string>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

std::string json_report(const Summary& summary);

// Several traces: { "schema": "stepscope.reports/1", "reports": [ ... ] }.
std::string json_reports(const std::vector<Summary>& summaries);

}  // namespace stepscope
