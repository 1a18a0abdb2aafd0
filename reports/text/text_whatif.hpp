// SPDX-License-Identifier: Apache-2.0
// What fixes would give, as a table for a terminal.
#pragma once

#include <string>

#include "core/simulate/whatif.hpp"
#include "reports/text/style.hpp"

namespace stepscope {

std::string text_whatif(const WhatIf& whatif, const Style& style);

}  // namespace stepscope
