// SPDX-License-Identifier: Apache-2.0
// Puts the rows of a run's tables into the order that trace.hpp promises, corrects reversed times, and
// adds the calls and threads that a torn recording lacks. Ids of rows follow their rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/model/events.hpp"
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

// Removes the rows that are marked.
void erase_device_ops(DeviceOps& ops, const std::vector<bool>& gone);

// For each host range the nearest range around it that also outlives it; kNone: none does. A parent
// need not: an annotation opened inside a function that returns before it closes is in nothing of
// that function's. All at once, since a chain of ranges that cross would be walked for each of
// them.

std::vector<RangeId> enclosing_ranges(const HostRanges& ranges);

// Which call launched a device op, by correlation id.
//
// A runtime call and the driver call inside it may carry the same id: the outer one is the launch.
// Ids come again where collection was switched off and on: then the last call that began before the
// op, if the op keeps its stream's order, and across such a switch only if the call launches and
// has no op yet. In other tools' traces, where as many ops have the id as calls, the n-th op is the
// n-th call's. In our own traces a call that begins long behind an op did not launch it; other
// tools' clocks may differ by more.

// There a kernel's launch has one op a device: further ones under its number are no one's.

// Returns the launching call by DeviceOpId; kNone: no call of that id, or none that can have
// launched it. Host ranges and calls are sorted already.
std::vector<CallId> link_launches(const TraceData& data);

}  // namespace stepscope
