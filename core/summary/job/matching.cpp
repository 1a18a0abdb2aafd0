// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/summary/job/clocks.hpp"
#include "core/summary/job/peers.hpp"
#include "core/support/statistics.hpp"

namespace stepscope::job {
namespace {

constexpr double kMostWrong = 0.02;
constexpr double kOfOneRank = 0.95;

using Collectives = std::vector<JobCollective>;

bool share_name(const std::vector<RankRecord>& ranks, const std::vector<Member>& members) {
  const auto name = [&](const Member& m) -> const std::string& {
    return ranks[m.rank].collectives[m.use].name;
  };
  return std::all_of(members.begin(), members.end(),
                     [&](const Member& m) { return name(m) == name(members.front()); });
}

// Ranks that use a communicator are its members; a collective that not all of them have is cut off.
Collectives by_communicator(const std::vector<RankRecord>& ranks) {
  std::map<std::uint64_t, std::map<std::uint32_t, std::vector<Member>>> told;
  std::map<std::uint64_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    for (std::uint32_t u = 0; u < ranks[r].collectives.size(); ++u) {
      const CollectiveUse& use = ranks[r].collectives[u];
      if (use.communicator == 0 || !use.messages.empty()) continue;
      told[use.communicator][use.ordinal].push_back({r, u});
      std::vector<std::uint32_t>& known = members[use.communicator];
      if (known.empty() || known.back() != r) known.push_back(r);
    }
  }
  Collectives out;
  for (const auto& [communicator, by_ordinal] : told) {
    const std::vector<std::uint32_t>& all = members[communicator];
    for (const auto& [ordinal, uses] : by_ordinal) {
      const bool whole =
          all.size() > 1 && std::equal(uses.begin(), uses.end(), all.begin(), all.end(),
                                       [](const Member& m, auto rank) { return m.rank == rank; });
      if (whole && share_name(ranks, uses)) out.push_back({uses});
    }
  }
  return out;
}

Collectives by_order(const std::vector<RankRecord>& ranks) {
  std::vector<std::vector<std::uint32_t>> untold(ranks.size());
  std::size_t most = std::numeric_limits<std::size_t>::max();
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    for (std::uint32_t u = 0; u < ranks[r].collectives.size(); ++u) {
      if (ranks[r].collectives[u].communicator == 0) untold[r].push_back(u);
    }
    most = std::min(most, untold[r].size());
  }
  Collectives out;
  for (std::size_t n = 0; ranks.size() > 1 && n < most; ++n) {
    std::vector<Member> members;
    for (std::uint32_t r = 0; r < ranks.size(); ++r) members.push_back({r, untold[r][n]});
    if (!share_name(ranks, members)) break;
    out.push_back({std::move(members)});
  }
  return out;
}

// Finds who entered last.
class LastEntries {
 public:
  LastEntries(const std::vector<RankRecord>& ranks, const Matches& matches)
      : ranks_(ranks), matches_(matches), wrong_of_(ranks.size()) {}

  // False where a rank ended it before the last one entered, beyond what the clocks may be off.
  bool set(JobCollective& collective) {
    std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
    collective.entered = std::numeric_limits<std::int64_t>::min();
    error_ = 0;
    for (const Member& m : collective.members) {
      enter(m, collective);
      first_end = std::min(first_end, time_of(m).end);
    }
    for (const Member& m : collective.awaited) enter(m, collective);
    if (first_end + 2 * error_ >= collective.entered) return true;
    ++wrong_;
    count_odd(collective);
    return false;
  }

  std::size_t wrong() const { return wrong_; }

  // Says which rank's collectives do not fit to those of the others, if it is one.
  std::string misfit() const {
    std::vector<std::size_t> odd;
    for (std::size_t r = 0; r < wrong_of_.size(); ++r)
      if (static_cast<double>(wrong_of_[r]) > kOfOneRank * static_cast<double>(wrong_))
        odd.push_back(r);
    const std::string whose =
        odd.size() == 1
            ? fmt::format("those of rank {} do not fit to the others'; is it of this run?",
                          ranks_[odd.front()].rank)
            : "are all files of one run?";
    return "the ranks' collectives do not fit together, some ended before their last rank "
           "entered: " +
           whose;
  }

 private:
  Interval time_of(const Member& m) const {
    const Interval time = ranks_[m.rank].collectives[m.use].time;
    const HostClock& clock = matches_.clock(m.rank);
    return {clock.to_first(time.begin), clock.to_first(time.end)};
  }

  void enter(const Member& m, JobCollective& collective) {
    const std::int64_t entered = time_of(m).begin;
    error_ = std::max(error_, matches_.clock(m.rank).error_ns);
    if (entered <= collective.entered) return;
    collective.entered = entered;
    collective.last = m.rank;
  }

  // Ranks that were not there while most of the others were.
  void count_odd(const JobCollective& collective) {
    std::vector<std::int64_t> begins, ends;
    for (const Member& m : collective.members) {
      begins.push_back(time_of(m).begin);
      ends.push_back(time_of(m).end);
    }
    const Interval most{median(std::move(begins)), median(std::move(ends))};
    for (const Member& m : collective.members)
      wrong_of_[m.rank] += time_of(m).end < most.begin || most.end < time_of(m).begin;
  }

  const std::vector<RankRecord>& ranks_;
  const Matches& matches_;
  std::vector<std::size_t> wrong_of_;  // by rank
  std::size_t wrong_ = 0;
  std::int64_t error_ = 0;  // how far the clocks of the collective may be off
};

}  // namespace

std::int64_t HostClock::to_first(std::int64_t time) const {
  return time - std::llround(offset_ns + drift * static_cast<double>(time - at_ns));
}

Matches match_collectives(const std::vector<RankRecord>& ranks) {
  Matches out;
  out.collectives = by_communicator(ranks);
  Collectives ordered = by_order(ranks);
  out.collectives.insert(out.collectives.end(), std::make_move_iterator(ordered.begin()),
                         std::make_move_iterator(ordered.end()));
  find_clocks(ranks, out);
  std::vector<JobCollective> peers = match_peers(ranks, out);
  out.collectives.insert(out.collectives.end(), std::make_move_iterator(peers.begin()),
                         std::make_move_iterator(peers.end()));
  std::size_t uses = 0;
  for (const RankRecord& rank : ranks) uses += rank.collectives.size();
  std::erase_if(out.collectives, [&](const JobCollective& collective) {
    return std::any_of(collective.members.begin(), collective.members.end(),
                       [&](const Member& m) { return !out.clock(m.rank).known; });
  });
  const std::size_t before = out.collectives.size();
  LastEntries last(ranks, out);
  std::erase_if(out.collectives, [&](JobCollective& collective) { return !last.set(collective); });
  if (uses == 0) {
    out.why_none =
        "no rank recorded a collective that all ranks wait in; record the device's work, or the "
        "calls "
        "of the host's process group";
  } else if (before == 0) {
    out.why_none = "no collective of one rank was found on another";
  } else if (static_cast<double>(last.wrong()) > kMostWrong * static_cast<double>(before)) {
    out.collectives.clear();
    out.why_none = last.misfit();
  }
  for (const JobCollective& collective : out.collectives) uses -= collective.members.size();
  out.unmatched = uses;
  return out;
}

}  // namespace stepscope::job
