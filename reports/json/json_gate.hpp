// SPDX-License-Identifier: Apache-2.0
// Results of the gate as JSON documents.
#pragma once

#include <string>

#include "core/gate/history.hpp"
#include "core/gate/verdict.hpp"

namespace stepscope {

// A gate's verdict as one JSON document, schema "stepscope.gate/1"
// (reports/schema/gate-1.schema.json). Values are of a step: counts, bytes or ns.
std::string json_gate(const GateVerdict& verdict);

// A history of stored results as one JSON document, schema "stepscope.history/1"
// (reports/schema/history-1.schema.json).
std::string json_history(const History& history);

}  // namespace stepscope
