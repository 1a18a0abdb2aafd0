// SPDX-License-Identifier: Apache-2.0
// The tables of two runs' difference: as `stepscope diff` prints them, from the same comparison.
#pragma once

#include <vector>

#include "viewer/view/desk.hpp"
#include "viewer/view/tables/table.hpp"

namespace stepscope::viewer {

// Empty for one run.
std::vector<Table> difference_tables(const Desk& desk);

}  // namespace stepscope::viewer
