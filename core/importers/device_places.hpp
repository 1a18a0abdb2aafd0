// SPDX-License-Identifier: Apache-2.0
// Device records of other tools whose times cannot be, one by one. CUPTI has begins that lie seconds
// before their launch, and TensorFlow's timelines copies that lie years behind it.
//
//   order   ops of a stream begin in the order in which they were launched. The records that must be
//           wrong are the fewest without which that holds
//   waits   what was launched before a wait for the whole device has ended when that returns; where
//           few records say otherwise, these are wrong, where many do, the clock is
//
// Calls that overlap in time (two threads) have no order, nor have ops of one launch. A stream of which
// every fifth record would be wrong is none in which one follows the other.
#pragma once

#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

// By DeviceOpId. The rows are in the order of trace.hpp; `launch_of` is what link_launches says.
std::vector<bool> misplaced_ops(const TraceData& data, const std::vector<CallId>& launch_of);

// Puts each between its neighbours in the order of launches, as early as it can be: with its own
// length where there is room, else with the median one of its name. A note says how many there were.
// Records that do not fit in there stay, and the note says that the clock jumped. To be called when
// the clocks agree. True where a record was moved, so that the rows are in order no longer.
bool put_in_place(TraceData& data, const std::vector<CallId>& launch_of,
                  const std::vector<bool>& misplaced);

}  // namespace stepscope
