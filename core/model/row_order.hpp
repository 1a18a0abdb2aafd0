// SPDX-License-Identifier: Apache-2.0
// Puts the rows of a run's tables into the order that trace.hpp promises, corrects reversed times, and
// adds the calls and threads that a torn recording lacks. Ids of rows follow their rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

// Rows by their place in the order; equal ones keep theirs.
using RowOrder = std::vector<std::uint32_t>;

template <class Less>
RowOrder sorted_order(std::size_t rows, Less less) {
  RowOrder order(rows);
  std::iota(order.begin(), order.end(), 0U);
  if (!std::is_sorted(order.begin(), order.end(), less)) {
    std::stable_sort(order.begin(), order.end(), less);
  }
  return order;
}

void put_in_order(TraceData& data);

}  // namespace stepscope
