// SPDX-License-Identifier: Apache-2.0
// The part of one rank's trace that the job's ledger reads: its exact partition as pieces of time,
// and the collectives in which it took part. Plain data, so that tests can make a job by hand.
//
// Times are nanoseconds by the clock of the rank's host. Pieces are in order of time and tile
// [first begin, last end) without a gap.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/attribution/cause.hpp"
#include "core/attribution/device/collectives.hpp"
#include "core/attribution/direction.hpp"
#include "core/model/ids.hpp"
#include "core/support/interval.hpp"

namespace stepscope::job {

// Who owns a piece of time, in words that mean the same on every rank.
struct Owner {
  Cause cause = Cause::unknown;
  std::string phase;  // innermost
  std::string phase_path;
  std::string file;  // empty: no line
  std::uint32_t line = 0;
  std::string function;
  std::string operation;
  Direction direction = Direction::none;
  friend auto operator<=>(const Owner&, const Owner&) = default;  // NOLINT(modernize-use-nullptr)
};

class Owners {
 public:
  std::uint32_t id_of(const Owner& owner) {
    const auto [at, is_new] = ids_.try_emplace(owner, static_cast<std::uint32_t>(list_.size()));
    if (is_new) list_.push_back(owner);
    return at->second;
  }
  const Owner& operator[](std::uint32_t id) const { return list_[id]; }
  std::size_t size() const { return list_.size(); }
  const std::vector<Owner>& list() const { return list_; }

 private:
  std::vector<Owner> list_;
  std::map<Owner, std::uint32_t> ids_;
};

struct Piece {
  Interval time;
  std::uint32_t owner = 0;
  // The rank did nothing but take part in this row of `collectives`; kNone: it worked.
  std::uint32_t collective = kNone;
};

// A collective that no rank leaves before all have entered, or sends, receives and broadcasts, in
// which a rank waits for those at their other ends.
struct CollectiveUse {
  std::uint64_t communicator = 0;  // the library's hash of it; 0: not said
  std::uint32_t ordinal = 0;       // in its communicator, where that is said
  std::string name;
  Interval time;                      // from the rank's entry on
  std::uint64_t bytes = 0;            // size of the rank's message; 0: not said
  std::vector<PeerMessage> messages;  // empty: a collective
};

struct RankRecord {
  std::int32_t rank = 0;
  std::string host;  // empty: the recording does not name it
  std::vector<Piece> pieces;
  std::vector<CollectiveUse> collectives;  // in the order in which the rank entered them
  std::vector<Interval> steps;             // the windows that count, by the rank's own steps
  // When a thread of the host did nothing but wait for the device or for other ranks, in order and
  // without overlaps. Nothing: it was not recorded.
  std::optional<std::vector<Interval>> host_waits;
  std::string clock;  // ranks with the same one share a clock; empty: that of the host

  const std::string& clock_name() const { return clock.empty() ? host : clock; }
};

}  // namespace stepscope::job
