// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/slow_links.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/support/statistics.hpp"

namespace stepscope::job {
namespace {

constexpr std::size_t kLeastTransfers = 8;
constexpr double kSlow = 1.5;
constexpr double kLinkStandardErrors = 3;

using Members = std::vector<std::uint32_t>;  // rows of the records, in order
// Operation, bytes, ranks, hosts.
using Alike = std::tuple<std::string, std::uint64_t, std::size_t, std::size_t>;

struct Transfers {
  std::vector<std::uint32_t> rows;    // in Matches::collectives
  std::vector<std::int64_t> lengths;  // after the last entry
  std::int64_t middle = 0;
  double error = 0;  // the standard error of the middle
};

struct SlowGroup {
  Members members;
  std::string operation;
  double times_as_long = 0;
  std::vector<std::uint32_t> rows;
};

class LinkFinder {
 public:
  LinkFinder(const std::vector<RankRecord>& ranks, const Ledger& ledger)
      : ranks_(ranks), ledger_(ledger) {}

  std::vector<SlowLink> find() {
    if (ledger_.steps.empty()) return {};
    sort_into_groups();
    for (auto& [alike, groups] : groups_) compare(std::get<0>(alike), groups);
    if (slow_.empty()) return {};
    std::vector<SlowLink> out;
    const Members shared = ranks_of_all();
    if (!shared.empty()) {
      out.push_back(link_of(shared, slow_));
      return out;
    }
    for (const SlowGroup& group : slow_) out.push_back(link_of(group.members, {group}));
    return out;
  }

 private:
  // The last rank to enter is there for the transfer alone, by its own clock.
  void sort_into_groups() {
    const std::vector<JobCollective>& all = ledger_.matches.collectives;
    for (std::uint32_t row = 0; row < all.size(); ++row) {
      if (all[row].entered < ledger_.steps.front().begin ||
          all[row].entered > ledger_.steps.back().end)
        continue;
      Members members;
      std::set<std::string> hosts;
      const CollectiveUse* last = nullptr;
      for (const Member& member : all[row].members) {
        members.push_back(member.rank);
        hosts.insert(ranks_[member.rank].host);
        if (member.rank == all[row].last) last = &ranks_[member.rank].collectives[member.use];
      }
      if (last == nullptr || last->bytes == 0) continue;
      Transfers& group =
          groups_[{last->name, last->bytes, members.size(), hosts.size()}][std::move(members)];
      group.rows.push_back(row);
      group.lengths.push_back(last->time.length());
    }
  }

  void compare(const std::string& operation, std::map<Members, Transfers>& groups) {
    std::erase_if(groups, [](const auto& g) { return g.second.rows.size() < kLeastTransfers; });
    if (groups.size() < 2) return;
    std::vector<const Transfers*> by_length;
    for (auto& [members, group] : groups) {
      group.middle = median(group.lengths);
      group.error = 1.2533 * 1.4826 *
                    static_cast<double>(median_absolute_deviation(group.lengths)) /
                    std::sqrt(static_cast<double>(group.lengths.size()));
      by_length.push_back(&group);
    }
    std::sort(by_length.begin(), by_length.end(),
              [](const Transfers* a, const Transfers* b) { return a->middle < b->middle; });
    const Transfers& usual = *by_length[(by_length.size() - 1) / 2];
    Members as_usual;
    const std::size_t known = slow_.size();
    for (const auto& [members, group] : groups) {
      const auto more = static_cast<double>(group.middle - usual.middle);
      const bool is_slow =
          static_cast<double>(group.middle) >= kSlow * static_cast<double>(usual.middle) &&
          more > kLinkStandardErrors * std::hypot(group.error, usual.error);
      if (is_slow)
        slow_.push_back({members, operation,
                         static_cast<double>(group.middle) /
                             static_cast<double>(std::max<std::int64_t>(1, usual.middle)),
                         group.rows});
      else
        as_usual.insert(as_usual.end(), members.begin(), members.end());
    }
    if (slow_.size() > known) usual_.insert(as_usual.begin(), as_usual.end());
  }

  // Those of a usual group are left out, unless nobody would be left.
  Members ranks_of_all() const {
    Members shared = slow_.front().members;
    for (const SlowGroup& group : slow_) {
      Members both;
      std::set_intersection(shared.begin(), shared.end(), group.members.begin(),
                            group.members.end(), std::back_inserter(both));
      shared = std::move(both);
    }
    Members alone;
    std::copy_if(shared.begin(), shared.end(), std::back_inserter(alone),
                 [this](std::uint32_t rank) { return !usual_.contains(rank); });
    return alone.empty() ? shared : alone;
  }

  SlowLink link_of(const Members& members, const std::vector<SlowGroup>& groups) const {
    SlowLink out{.ranks = members};
    std::map<std::uint32_t, double> cost;  // by rank
    double most = 0;
    for (const SlowGroup& group : groups) {
      out.collectives += group.rows.size();
      double lost = 0;
      for (const std::uint32_t row : group.rows)
        for (const Member& member : ledger_.matches.collectives[row].members) {
          const double share = 1 - 1 / group.times_as_long;
          const double ns = share * exposed(member, ledger_.matches.collectives[row].entered);
          cost[member.rank] += ns;
          lost += ns;
        }
      if (out.operation.empty() || lost > most) {
        most = lost;
        out.operation = group.operation;
        out.times_as_long = group.times_as_long;
      }
    }
    for (const auto& [rank, ns] : cost)
      out.cost_ns_total = std::max(out.cost_ns_total, static_cast<std::int64_t>(std::llround(ns)));
    return out;
  }

  // How long the rank did nothing but wait for the transfer.
  double exposed(const Member& member, std::int64_t entered) const {
    const RankRecord& rank = ranks_[member.rank];
    const HostClock& clock = ledger_.matches.clock(member.rank);
    const Interval use = rank.collectives[member.use].time;
    double out = 0;
    auto piece = std::upper_bound(rank.pieces.begin(), rank.pieces.end(), use.begin,
                                  [](std::int64_t t, const Piece& p) { return t < p.time.end; });
    for (; piece != rank.pieces.end() && piece->time.begin < use.end; ++piece) {
      if (piece->collective != member.use) continue;
      const std::int64_t begin = std::max(entered, clock.to_first(piece->time.begin));
      out +=
          static_cast<double>(std::max<std::int64_t>(0, clock.to_first(piece->time.end) - begin));
    }
    return out;
  }

  const std::vector<RankRecord>& ranks_;
  const Ledger& ledger_;
  std::map<Alike, std::map<Members, Transfers>> groups_;
  std::vector<SlowGroup> slow_;
  std::set<std::uint32_t> usual_;
};

}  // namespace

std::vector<SlowLink> find_slow_links(const std::vector<RankRecord>& ranks, const Ledger& ledger) {
  return LinkFinder(ranks, ledger).find();
}

}  // namespace stepscope::job
