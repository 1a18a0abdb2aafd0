// SPDX-License-Identifier: Apache-2.0
// The order of every table of times: the row with the most time first, rows of equal time in the
// order in which they came.
#pragma once

#include <algorithm>
#include <vector>

namespace stepscope {

template <class Row>
void sort_by_time(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.ns_total > b.ns_total; });
}

}  // namespace stepscope
