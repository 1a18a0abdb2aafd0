// SPDX-License-Identifier: Apache-2.0
// A history of stored results for a terminal: each metric's verdict, its changes of level, and what
// was left out.
#pragma once

#include <string>

#include "core/gate/history.hpp"
#include "reports/text/style.hpp"

namespace stepscope {

std::string text_history(const History& history, const Style& style);

}  // namespace stepscope
