// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/peers.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace stepscope::job {
namespace {

using UseRow =
    std::pair<std::uint32_t, std::uint32_t>;  // row of the records, row of its collectives

// The messages from one rank of a communicator to another, in order.
struct Flow {
  std::vector<UseRow> sends, receives;
};
// By communicator, sending rank and receiving rank.
using Flows = std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, Flow>;

class Matcher {
 public:
  Matcher(const std::vector<RankRecord>& ranks, const Matches& clocks)
      : ranks_(ranks), clocks_(clocks) {
    find_members();
    find_flows();
    for (const auto& [key, flow] : flows_) connect(flow);
  }

  std::vector<JobCollective> match() const {
    std::vector<JobCollective> out;
    for (const auto& [own, awaited] : holds_up_) {
      const auto back = holds_up_.find(awaited);
      const bool mutual = back != holds_up_.end() && back->second == own;
      if (!mutual) out.push_back({.members = {member(own)}, .awaited = {member(awaited)}});
      if (mutual && own < awaited) out.push_back({.members = {member(own), member(awaited)}});
    }
    return out;
  }

 private:
  static Member member(UseRow key) { return {key.first, key.second}; }

  Interval time_of(UseRow key) const {
    const HostClock& clock = clocks_.clock(key.first);
    const Interval time = ranks_[key.first].collectives[key.second].time;
    return {clock.to_first(time.begin), clock.to_first(time.end)};
  }

  void find_members() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (const CollectiveUse& use : ranks_[r].collectives) {
        std::vector<std::uint32_t>& known = members_[use.communicator];
        if (known.empty() || known.back() != r) known.push_back(r);
      }
    }
    for (auto& [communicator, members] : members_)
      std::sort(members.begin(), members.end(), [this](std::uint32_t a, std::uint32_t b) {
        return ranks_[a].rank < ranks_[b].rank;
      });
  }

  void find_flows() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r)
      for (std::uint32_t u = 0; u < ranks_[r].collectives.size(); ++u)
        for (const PeerMessage& message : ranks_[r].collectives[u].messages)
          add_message({r, u}, message);
  }

  // Who only receives from itself is the root of a broadcast. No other message to itself makes it wait.
  void add_message(UseRow own, const PeerMessage& message) {
    const CollectiveUse& use = ranks_[own.first].collectives[own.second];
    const std::vector<std::uint32_t>& members = members_[use.communicator];
    if (message.peer >= members.size()) return;
    const std::uint32_t peer = members[message.peer];
    if (peer == own.first) {
      if (!is_broadcast(use)) return;
      for (const std::uint32_t other : members)
        if (other != peer) flows_[{use.communicator, peer, other}].sends.push_back(own);
    } else if (message.sends) {
      flows_[{use.communicator, own.first, peer}].sends.push_back(own);
    } else {
      flows_[{use.communicator, peer, own.first}].receives.push_back(own);
    }
  }

  static bool is_broadcast(const CollectiveUse& use) {
    return std::none_of(use.messages.begin(), use.messages.end(),
                        [](const PeerMessage& message) { return message.sends; });
  }

  void connect(const Flow& flow) {
    for (std::size_t n = 0; n < std::min(flow.sends.size(), flow.receives.size()); ++n) {
      const UseRow send = flow.sends[n], receive = flow.receives[n];
      if (!clocks_.clock(send.first).known || !clocks_.clock(receive.first).known) continue;
      const std::int64_t error =
          clocks_.clock(send.first).error_ns + clocks_.clock(receive.first).error_ns;
      if (time_of(send).end + 2 * error < time_of(receive).begin) continue;
      hold_up(send, receive);
      hold_up(receive, send);
    }
  }

  void hold_up(UseRow own, UseRow other) {
    const auto [known, is_new] = holds_up_.try_emplace(own, other);
    if (!is_new && time_of(known->second).begin < time_of(other).begin) known->second = other;
  }

  const std::vector<RankRecord>& ranks_;
  const Matches& clocks_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> members_;  // by communicator
  Flows flows_;
  std::map<UseRow, UseRow> holds_up_;  // a kernel -> the one at another end that was entered last
};

}  // namespace

std::vector<JobCollective> match_peers(const std::vector<RankRecord>& ranks,
                                       const Matches& clocks) {
  return Matcher(ranks, clocks).match();
}

}  // namespace stepscope::job
