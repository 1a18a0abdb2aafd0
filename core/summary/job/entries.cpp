// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/entries.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace stepscope::job {
namespace {

// Kernels behind each other on a stream are this far apart at most.
constexpr std::int64_t kQueueGap_ns = 20'000;

class EntryFinder {
 public:
  EntryFinder(const std::vector<RankRecord>& ranks, const Matches& matches,
              const MatchOfUse& match_of_use)
      : ranks_(ranks), matches_(matches), match_of_use_(match_of_use), out_(ranks.size()) {
    for (const RankRecord& rank : ranks) before_.push_back(uses_before(rank));
  }

  std::vector<Entries> find() {
    for (std::uint32_t match = 0; match < matches_.collectives.size(); ++match) {
      for (const Member& m : matches_.collectives[match].members) add(m, match, true);
      for (const Member& m : matches_.collectives[match].awaited) add(m, match, false);
    }
    for (Entries& of_rank : out_)
      std::stable_sort(of_rank.begin(), of_rank.end(),
                       [](const Entry& a, const Entry& b) { return a.time < b.time; });
    return std::move(out_);
  }

 private:
  // By use: the one before it in its communicator.
  static std::vector<std::uint32_t> uses_before(const RankRecord& rank) {
    std::map<std::uint64_t, std::uint32_t> last;
    std::vector<std::uint32_t> out;
    for (std::uint32_t u = 0; u < rank.collectives.size(); ++u) {
      const auto at = last.try_emplace(rank.collectives[u].communicator, kNone).first;
      out.push_back(std::exchange(at->second, u));
    }
    return out;
  }

  void add(const Member& m, std::uint32_t match, bool waits) {
    const std::vector<CollectiveUse>& uses = ranks_[m.rank].collectives;
    const std::int64_t begin = uses[m.use].time.begin;
    const std::uint32_t before = before_[m.rank][m.use];
    Entry out{matches_.clock(m.rank).to_first(begin),
              {.kind = Action::enter, .match = match, .waits = waits}};
    if (before != kNone) out.action.before = match_of_use_[m.rank][before];
    if (out.action.before != kNone) {
      const std::int64_t gap = begin - uses[before].time.end;
      out.action.is_queued = gap >= 0 && gap <= kQueueGap_ns;
      out.action.ns =
          static_cast<double>(out.time - matches_.collectives[out.action.before].entered);
    }
    out_[m.rank].push_back(out);
  }

  const std::vector<RankRecord>& ranks_;
  const Matches& matches_;
  const MatchOfUse& match_of_use_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<Entries> out_;
};

}  // namespace

MatchOfUse matches_of_uses(const std::vector<RankRecord>& ranks, const Matches& matches) {
  MatchOfUse out;
  for (const RankRecord& rank : ranks) out.emplace_back(rank.collectives.size(), kNone);
  for (std::uint32_t match = 0; match < matches.collectives.size(); ++match)
    for (const Member& m : matches.collectives[match].members) out[m.rank][m.use] = match;
  return out;
}

std::vector<Entries> entries_of(const std::vector<RankRecord>& ranks, const Matches& matches,
                                const MatchOfUse& match_of_use) {
  return EntryFinder(ranks, matches, match_of_use).find();
}

}  // namespace stepscope::job
