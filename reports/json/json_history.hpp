// SPDX-License-Identifier: Apache-2.0
// A history of stored results as one JSON document, schema "stepscope.history/1"
// (reports/schema/history-1.schema.json).
#pragma once

#include <string>

#include "core/gate/history.hpp"

namespace stepscope {

std::string json_history(const History& history);

}  // namespace stepscope
