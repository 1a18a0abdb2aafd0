// SPDX-License-Identifier: Apache-2.0
// Fixes that would change at least one task of the graph: one a line and kind where lines are
// known, else one a phase. None is judged here; the replay says what each gives.
#pragma once

#include <vector>

#include "core/simulate/fix.hpp"
#include "core/simulate/graph/task_graph.hpp"

namespace stepscope {

std::vector<Fix> candidate_fixes(const TaskGraph& graph);

}  // namespace stepscope
