// SPDX-License-Identifier: Apache-2.0
// Which collectives of several ranks are one.
//
// Collectives are matched by communicator and ordinal where the library recorded them, else by order:
// the n-th of each rank, for as long as all ranks name the same one. No clock is needed for that.
// Sends and receives are matched by their ends (peers.hpp).
//
// Hosts have clocks of their own (clocks.hpp). A collective that would have ended before its last rank
// entered was matched wrongly: a few are left out, many void all matches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/summary/job/rank_record.hpp"

namespace stepscope::job {

// How to read a host's clock by that of the first rank's host: subtract offset(t).
struct HostClock {
  std::string host;
  double offset_ns = 0;  // at `at_ns`
  double drift = 0;      // ns a ns
  std::int64_t at_ns = 0;
  std::int64_t error_ns = 0;  // half of the interval in which the offset lies, of 19 in 20
  std::uint64_t collectives = 0;
  bool known = true;  // false: it shares no collective with the first host

  std::int64_t to_first(std::int64_t time) const;
};

struct Member {
  std::uint32_t rank = 0;  // row of the records
  std::uint32_t use = 0;   // row of its collectives
};

struct JobCollective {
  std::vector<Member> members;  // by rank
  std::vector<Member> awaited;  // what members wait for besides (peers.hpp)
  std::uint32_t last = 0;       // row of the records: the rank that entered last
  std::int64_t entered = 0;     // when it did, by the first host's clock
};

struct Matches {
  std::vector<JobCollective> collectives;
  std::vector<HostClock> clocks;             // by host, in the order of the records
  std::vector<std::uint32_t> clock_of_rank;  // by row of the records
  std::uint64_t unmatched = 0;               // uses that no other rank has
  std::string why_none;                      // why nothing was matched; may be empty
  std::vector<std::string> clock_notes;      // hosts whose ranks do not share a clock

  const HostClock& clock(std::uint32_t rank) const { return clocks[clock_of_rank[rank]]; }
};

Matches match_collectives(const std::vector<RankRecord>& ranks);

}  // namespace stepscope::job
