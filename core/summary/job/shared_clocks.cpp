// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/shared_clocks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace stepscope::job {
namespace {

constexpr std::size_t kLeastThatContradict = 8;
constexpr double kMostContradicting = 0.02;
constexpr std::size_t kMostCompared = 64;  // collectives of each communicator

using MembersOfName = std::vector<Member>;

class SharedClocks {
 public:
  SharedClocks(const std::vector<RankRecord>& ranks, const std::vector<JobCollective>& collectives)
      : ranks_(ranks) {
    std::map<std::string, std::uint32_t> first;
    for (std::uint32_t r = 0; r < ranks.size(); ++r)
      leaders_.push_back(first.try_emplace(ranks[r].clock_name(), r).first->second);
    names_ = leaders_;
    seen_.resize(ranks.size());
    for (const JobCollective& collective : collectives) look_at(collective);
    for (const Seen& seen : seen_)
      if (seen.contradicting >= kLeastThatContradict) part(seen);
  }
  std::vector<std::uint32_t> leaders() { return std::move(leaders_); }

 private:
  struct Seen {
    std::size_t contradicting = 0;
    std::vector<MembersOfName> collectives;
    std::map<std::uint64_t, std::size_t> by_communicator;
  };
  struct Count {
    std::size_t shared = 0, contradicting = 0;
    bool contradict() const {
      return contradicting >= kLeastThatContradict &&
             static_cast<double>(contradicting) > kMostContradicting * static_cast<double>(shared);
    }
  };

  const CollectiveUse& use_of(const Member& m) const { return ranks_[m.rank].collectives[m.use]; }

  void look_at(const JobCollective& collective) {
    const CollectiveUse& first = use_of(collective.members.front());
    if (first.communicator == 0 || !first.messages.empty()) return;
    std::map<std::uint32_t, MembersOfName> by_name;
    for (const Member& m : collective.members) by_name[names_[m.rank]].push_back(m);
    for (const auto& [name, members] : by_name)
      if (members.size() > 1) look_at(first.communicator, members, seen_[name]);
  }

  void look_at(std::uint64_t communicator, const MembersOfName& members, Seen& seen) {
    if (++seen.by_communicator[communicator] > kMostCompared) return;
    std::int64_t last_begin = use_of(members.front()).time.begin;
    std::int64_t first_end = use_of(members.front()).time.end;
    for (const Member& m : members) {
      last_begin = std::max(last_begin, use_of(m).time.begin);
      first_end = std::min(first_end, use_of(m).time.end);
    }
    seen.contradicting += first_end < last_begin;
    seen.collectives.push_back(members);
  }

  void part(const Seen& seen) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Count> pairs;
    for (const MembersOfName& members : seen.collectives)
      for (std::size_t a = 0; a < members.size(); ++a)
        for (std::size_t b = a + 1; b < members.size(); ++b)
          compare(members[a], members[b], pairs[{members[a].rank, members[b].rank}]);
    std::set<std::uint32_t> told;
    for (const auto& [pair, count] : pairs) told.insert({pair.first, pair.second});
    for (const std::uint32_t rank : told) leaders_[rank] = rank;
    for (const auto& [pair, count] : pairs)
      if (!count.contradict()) join(leaders_[pair.first], leaders_[pair.second]);
  }

  void compare(const Member& a, const Member& b, Count& count) const {
    const Interval one = use_of(a).time, other = use_of(b).time;
    ++count.shared;
    count.contradicting += one.end < other.begin || other.end < one.begin;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first = std::min(a, b), other = std::max(a, b);
    std::replace(leaders_.begin(), leaders_.end(), other, first);
  }

  const std::vector<RankRecord>& ranks_;
  std::vector<std::uint32_t> names_;  // by rank: the first rank of its name
  std::vector<Seen> seen_;            // by name
  std::vector<std::uint32_t> leaders_;
};

}  // namespace

std::vector<std::uint32_t> clock_leaders(const std::vector<RankRecord>& ranks,
                                         const std::vector<JobCollective>& collectives) {
  return SharedClocks(ranks, collectives).leaders();
}

std::vector<std::string> clock_notes(const std::vector<RankRecord>& ranks,
                                     const std::vector<std::uint32_t>& leaders) {
  std::map<std::string, std::vector<std::int32_t>> by_name;
  for (std::uint32_t r = 0; r < leaders.size(); ++r)
    if (leaders[r] == r) by_name[ranks[r].clock_name()].push_back(ranks[r].rank);
  std::vector<std::string> out;
  for (const auto& [name, first] : by_name)
    if (first.size() > 1)
      out.push_back(fmt::format(
          "the ranks that name the host {} have {} clocks, those of ranks {}: by one clock, "
          "collectives would have ended before a rank entered them. Several machines may bear that "
          "name, and ranks that were moved the name of another machine",
          name, first.size(), fmt::join(first, ", ")));
  return out;
}

}  // namespace stepscope::job
