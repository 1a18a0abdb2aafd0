// SPDX-License-Identifier: Apache-2.0
// One screen: verdict, where the step goes, phases, lines, device ops, how the devices were, steps,
// and how far to trust it.
#pragma once

#include <string>

#include "core/summary/summary.hpp"
#include "reports/text/style.hpp"

namespace stepscope {

// At most 100 columns, unless names stay whole; about 50 lines.
std::string text_report(const Summary& summary, const Style& style);

}  // namespace stepscope
