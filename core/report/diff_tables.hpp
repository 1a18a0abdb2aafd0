// SPDX-License-Identifier: Apache-2.0
// The tables of a comparison, in the order in which every medium shows them: by cause, phase, line.
// Those that would say one row, the whole, are left out.
#pragma once

#include <vector>

#include "core/compare/comparison.hpp"
#include "core/report/table.hpp"

namespace stepscope::report {

std::vector<Table> diff_tables(const Comparison& comparison);

}  // namespace stepscope::report
