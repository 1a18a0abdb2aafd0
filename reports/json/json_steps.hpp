// SPDX-License-Identifier: Apache-2.0
// The "steps" member of the report. Internal to reports/json.
#pragma once

#include <nlohmann/json.hpp>

#include "core/summary/summary.hpp"

namespace stepscope {

nlohmann::ordered_json steps_json(const Summary& summary);

}  // namespace stepscope
