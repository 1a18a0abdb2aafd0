// SPDX-License-Identifier: Apache-2.0
// A table of a report on the screen: all of its rows, without exact totals, each leading to what it
// stands for in the timeline. Internal to viewer/view.
#pragma once

#include "core/report/table.hpp"
#include "viewer/view/tables/table.hpp"

namespace stepscope::viewer {

Table table_of_report(const report::Table& table);

}  // namespace stepscope::viewer
