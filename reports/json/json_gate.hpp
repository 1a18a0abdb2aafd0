// SPDX-License-Identifier: Apache-2.0
// A gate's verdict as one JSON document, schema "stepscope.gate/1"
// (reports/schema/gate-1.schema.json). Values are of a step: counts, bytes or ns.
#pragma once

#include <string>

#include "core/gate/verdict.hpp"

namespace stepscope {

std::string json_gate(const GateVerdict& verdict);

}  // namespace stepscope
