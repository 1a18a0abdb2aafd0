// SPDX-License-Identifier: Apache-2.0
// Until when a collective only waited for a late rank. Nothing moves before every rank has entered,
// so of a collective's time the part before the last rank's entry is comm.late_rank, the rest
// comm.transfer.
//
// Decided only where the trace holds every rank of the run: by the communicator and ordinal of
// their calls where these were recorded, else where all ranks ran the same sequence (then the n-th
// of one is the n-th of all), and nowhere that an op ended before the last entry. Sends,
// receives and broadcasts (which core/summary/job matches), and reductions to one rank, do not wait
// for all and are left out. What is not decided is comm.transfer.
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

// One send or receive of a kernel, or what a broadcast receives from its root (the root itself, too).
struct PeerMessage {
  std::uint32_t peer = 0;  // the rank at its other end, as the communicator numbers its ranks
  bool sends = false;
};

// A device op of a process that waits for other ranks: a collective, which waits for all of its
// ranks, or sends, receives and broadcasts, which wait for the ranks at their other ends.
struct CollectiveOp {
  DeviceOpId op = kNone;
  std::uint64_t communicator = 0;     // 0: its call names neither communicator nor ordinal
  std::uint32_t ordinal = 0;          // 0 for messages
  std::uint64_t bytes = 0;            // 0: not said
  std::vector<PeerMessage> messages;  // in the order of their calls; empty: a collective
};
// Returns these ops in the order in which they began, without sends, receives and broadcasts whose
// calls are not known.
std::vector<CollectiveOp> collective_ops_of(const Trace& trace, ProcessId process);

// The same of a range that a process group puts around a collective: "gloo:all_reduce".
bool group_waits_for_all(std::string_view name);

}  // namespace stepscope
