// SPDX-License-Identifier: Apache-2.0
// The "device_health" and "throughput" members of the report. Internal to reports/json.
#pragma once

#include <nlohmann/json.hpp>

#include "core/summary/summary.hpp"

namespace stepscope {

// Writes the devices' health; what was not sampled, or cannot be said, is null.
nlohmann::ordered_json device_health_json(const Summary& summary);

nlohmann::ordered_json throughput_json(const Throughput& throughput);

}  // namespace stepscope
