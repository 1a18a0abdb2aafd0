// SPDX-License-Identifier: Apache-2.0
// A gate's verdict for a terminal: what failed and where, then every metric, the runs and what else
// must be known.
#pragma once

#include <string>

#include "core/gate/verdict.hpp"
#include "reports/text/style.hpp"

namespace stepscope {

std::string text_gate(const GateVerdict& verdict, const Style& style);

}  // namespace stepscope
