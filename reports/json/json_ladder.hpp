// SPDX-License-Identifier: Apache-2.0
// A ladder as one JSON document, schema "stepscope.ladder/1" (reports/schema/ladder-1.schema.json).
// A rung's parts sum to its wall_ns, its changes to the difference from the rung below.
#pragma once

#include <string>

#include "core/ladder/ladder.hpp"

namespace stepscope {

std::string json_ladder(const Ladder& ladder);

}  // namespace stepscope
