// SPDX-License-Identifier: Apache-2.0
// The "findings", "cleared" and "abstained" members of the report. Internal to reports/json.
#pragma once

#include <nlohmann/json.hpp>

#include "core/summary/summary.hpp"

namespace stepscope {

nlohmann::ordered_json findings_json(const Summary& summary);
nlohmann::ordered_json no_gain_json(const Summary& summary);
nlohmann::ordered_json cleared_json(const Summary& summary);
nlohmann::ordered_json abstained_json(const Summary& summary);  // causes first, then findings

}  // namespace stepscope
