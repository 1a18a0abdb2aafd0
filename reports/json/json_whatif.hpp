// SPDX-License-Identifier: Apache-2.0
// What fixes would give as one JSON document, schema "stepscope.whatif/1"
// (reports/schema/whatif-1.schema.json).
#pragma once

#include <string>

#include "core/simulate/whatif.hpp"

namespace stepscope {

std::string json_whatif(const WhatIf& whatif);

}  // namespace stepscope
