// SPDX-License-Identifier: Apache-2.0
// Until when a collective only waited for a late rank. Nothing moves before every rank has entered,
// so of a collective's time the part before the last rank's entry is comm.late_rank, the rest
// comm.transfer.
//
// Decided only where the trace holds every rank of the run: by the communicator and ordinal of
// their calls where these were recorded, else where all ranks ran the same sequence (then the n-th
// of one is the n-th of all), and nowhere that an op ended before the last entry. Point-to-point
// transfers, broadcasts and reductions to one rank do not wait for all and are left out. What is
// not decided is comm.transfer.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

struct LastEntry {
  std::int64_t time = 0;
  std::int32_t rank = -1;  // the least of those that entered then
};

// By op of any process: when the last rank entered the same collective, by the clock of the op's
// host. Empty: not decided.
using LastEntries = std::unordered_map<DeviceOpId, LastEntry>;
LastEntries last_entries(const Trace& trace);

// A device op of a process that is a collective which waits for all of its ranks.
struct CollectiveOp {
  DeviceOpId op = kNone;
  std::uint64_t communicator = 0;  // 0: its call names neither communicator nor ordinal
  std::uint32_t ordinal = 0;
  std::uint64_t bytes = 0;  // 0: not said
};
// Returns the collective ops in the order in which they began.
std::vector<CollectiveOp> collective_ops_of(const Trace& trace, ProcessId process);

// The same of a range that a process group puts around a collective: "gloo:all_reduce".
bool group_waits_for_all(std::string_view name);

}  // namespace stepscope
