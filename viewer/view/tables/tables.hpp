// SPDX-License-Identifier: Apache-2.0
// The tables of the screen: the same numbers in the same words as the reports print.
#pragma once

#include <vector>

#include "viewer/view/desk.hpp"
#include "viewer/view/tables/table.hpp"

namespace stepscope::viewer {

// The tables of a desk in the order of their tabs; those that have nothing to say are left out.
std::vector<Table> tables_of(const Desk& desk);

// Does what a click on the row does.
void act(Desk& desk, const TableRow& row);

}  // namespace stepscope::viewer
