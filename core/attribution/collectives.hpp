// SPDX-License-Identifier: Apache-2.0
// Until when a collective only waited for a late rank. Nothing moves before every rank has entered,
// so of a collective's time the part before the last rank's entry is comm.late_rank, the rest
// comm.transfer.
//
// Decided only where the trace holds every rank of the run and all of them ran the same sequence of
// collectives (then the n-th of one is the n-th of all); point-to-point transfers and broadcasts do
// not wait for all and are left out. Otherwise everything is comm.transfer.
#pragma once

#include <unordered_map>

#include "core/model/trace.hpp"

namespace stepscope {

// For ops of any process: the time at which the last rank entered the same collective.
std::unordered_map<DeviceOpId, std::int64_t> last_entries(const Trace& trace);

}  // namespace stepscope
