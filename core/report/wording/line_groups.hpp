// SPDX-License-Identifier: Apache-2.0
// A summary's rows of lines, one group a source line and direction.
#pragma once

#include <cstdint>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

struct LineGroup {
  std::int64_t ns_total = 0;
  std::vector<const LineRow*> rows;  // its causes, largest first; never empty
};

// Largest first. Points into `rows`, which must outlive it.
std::vector<LineGroup> line_groups(const std::vector<LineRow>& rows);

}  // namespace stepscope
