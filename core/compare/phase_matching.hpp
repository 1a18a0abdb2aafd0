// SPDX-License-Identifier: Apache-2.0
// Phases that have another path in B: those that only one side has are the same where their last
// part is found once on each ("train/topk" and "step/topk"). Internal to core/compare.
#pragma once

#include <vector>

#include "core/compare/work_item.hpp"

namespace stepscope::compare_parts {

// Gives such phases of A the path that they have in B.
void rename_phases(std::vector<WorkItem>& a, const std::vector<WorkItem>& b);

}  // namespace stepscope::compare_parts
