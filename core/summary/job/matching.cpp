// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/summary/job/peers.hpp"
#include "core/support/statistics.hpp"

namespace stepscope::job {
namespace {

constexpr std::size_t kWindows = 16;
constexpr std::size_t kLeastPerWindow = 8;
constexpr double kMostWrong = 0.02;

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

struct EndDifference {
  std::int64_t time;        // by the host's own clock
  std::int64_t difference;  // its end less that of the first host
};

// By host; one pass over all collectives, since a large job has many hosts.
std::vector<std::vector<EndDifference>> end_differences(
    const std::vector<RankRecord>& ranks, const Collectives& collectives,
    const std::vector<std::uint32_t>& host_of_rank, std::size_t hosts) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
  std::vector<std::vector<EndDifference>> out(hosts);
  std::vector<std::int64_t> ends(hosts, kNever);
  for (const JobCollective& collective : collectives) {
    for (const Member& m : collective.members) {
      std::int64_t& end = ends[host_of_rank[m.rank]];
      end = std::max(end, ranks[m.rank].collectives[m.use].time.end);
    }
    const std::int64_t first = ends[0];
    for (const Member& m : collective.members) {
      const std::uint32_t host = host_of_rank[m.rank];
      const std::int64_t own = std::exchange(ends[host], kNever);
      if (host != 0 && first != kNever && own != kNever) out[host].push_back({own, own - first});
    }
  }
  for (std::vector<EndDifference>& points : out)
    std::sort(points.begin(), points.end(),
              [](const EndDifference& a, const EndDifference& b) { return a.time < b.time; });
  return out;
}

std::int64_t median_difference(const std::vector<EndDifference>& points, std::size_t begin,
                               std::size_t end) {
  std::vector<std::int64_t> values;
  for (std::size_t i = begin; i < end; ++i) values.push_back(points[i].difference);
  return median(std::move(values));
}

// The median slope of the lines through each two windows' medians.
double drift_of(const std::vector<EndDifference>& points) {
  const std::size_t windows = std::min(kWindows, points.size() / kLeastPerWindow);
  if (windows < 3) return 0;
  std::vector<std::pair<double, double>> medians;
  for (std::size_t w = 0; w < windows; ++w) {
    const std::size_t begin = w * points.size() / windows;
    const std::size_t end = (w + 1) * points.size() / windows;
    medians.emplace_back(static_cast<double>(points[(begin + end) / 2].time - points[0].time),
                         static_cast<double>(median_difference(points, begin, end)));
  }
  std::vector<double> slopes;
  for (std::size_t a = 0; a < windows; ++a) {
    for (std::size_t b = a + 1; b < windows; ++b) {
      const double run = medians[b].first - medians[a].first;
      if (run > 0) slopes.push_back((medians[b].second - medians[a].second) / run);
    }
  }
  if (slopes.empty()) return 0;
  std::nth_element(slopes.begin(), slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2),
                   slopes.end());
  return slopes[slopes.size() / 2];
}

// The standard error of a median is 1.2533 times that of a mean; 1.4826 makes a deviation of a MAD.
// Where a drift was fitted, the line is twice as uncertain at its ends as in its middle.
void fit_clock(const std::vector<EndDifference>& points, HostClock& clock) {
  clock.collectives = points.size();
  clock.known = !points.empty();
  if (points.empty()) return;
  clock.drift = drift_of(points);
  clock.at_ns = points[points.size() / 2].time;
  std::vector<std::int64_t> level;
  for (const EndDifference& p : points)
    level.push_back(p.difference -
                    std::llround(clock.drift * static_cast<double>(p.time - clock.at_ns)));
  clock.offset_ns = static_cast<double>(median(level));
  const double scatter = 1.4826 * static_cast<double>(median_absolute_deviation(level));
  const double at_ends = clock.drift != 0 ? 2 : 1;
  clock.error_ns = 1 + std::llround(at_ends * 1.96 * 1.2533 * scatter /
                                    std::sqrt(static_cast<double>(points.size())));
}

void find_clocks(const std::vector<RankRecord>& ranks, Matches& out) {
  for (const RankRecord& rank : ranks) {
    const auto known = std::find_if(out.clocks.begin(), out.clocks.end(), [&](const HostClock& c) {
      return c.host == rank.clock_name();
    });
    out.clock_of_rank.push_back(static_cast<std::uint32_t>(known - out.clocks.begin()));
    if (known == out.clocks.end()) out.clocks.push_back({.host = rank.clock_name()});
  }
  const auto differences =
      end_differences(ranks, out.collectives, out.clock_of_rank, out.clocks.size());
  for (std::size_t host = 1; host < out.clocks.size(); ++host)
    fit_clock(differences[host], out.clocks[host]);
}

// False where a rank ended it before the last one entered: beyond what the clocks may be off.
bool set_last(const std::vector<RankRecord>& ranks, const Matches& matches,
              JobCollective& collective) {
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  std::int64_t error = 0;
  collective.entered = std::numeric_limits<std::int64_t>::min();
  const auto enter = [&](const Member& m) {
    const HostClock& clock = matches.clock(m.rank);
    const std::int64_t entered = clock.to_first(ranks[m.rank].collectives[m.use].time.begin);
    error = std::max(error, clock.error_ns);
    if (entered <= collective.entered) return;
    collective.entered = entered;
    collective.last = m.rank;
  };
  for (const Member& m : collective.members) {
    enter(m);
    const std::int64_t end = ranks[m.rank].collectives[m.use].time.end;
    first_end = std::min(first_end, matches.clock(m.rank).to_first(end));
  }
  for (const Member& m : collective.awaited) enter(m);
  return first_end + 2 * error >= collective.entered;
}

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
  const std::size_t before = out.collectives.size();
  std::erase_if(out.collectives, [&](JobCollective& collective) {
    const bool known = std::all_of(collective.members.begin(), collective.members.end(),
                                   [&](const Member& m) { return out.clock(m.rank).known; });
    return !known || !set_last(ranks, out, collective);
  });
  const std::size_t wrong = before - out.collectives.size();
  if (uses == 0) {
    out.why_none = "no rank recorded a collective that all ranks wait in";
  } else if (before == 0) {
    out.why_none = "no collective of one rank was found on another";
  } else if (static_cast<double>(wrong) > kMostWrong * static_cast<double>(before)) {
    out.collectives.clear();
    out.why_none =
        "the ranks' collectives do not fit together: some ended before their last rank entered";
  }
  for (const JobCollective& collective : out.collectives) uses -= collective.members.size();
  out.unmatched = uses;
  return out;
}

}  // namespace stepscope::job
