// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/forked_workers.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/model/events.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kNeighbours = 16;  // process ids between workers that were forked in a row

}  // namespace

ForkedWorkers::ForkedWorkers(const Trace& trace, ProcessId process,
                             const std::set<std::int64_t>& seen) {
  for (auto& [key, readings] : readings_of(trace, kChildCpuTrack))
    if (key.first == process) clocks_[std::atoll(key.second.c_str())] = std::move(readings);
  std::map<std::int64_t, std::vector<std::int64_t>> seen_in;  // by round
  for (const std::int64_t pid : seen)
    if (const auto clock = clocks_.find(pid); clock != clocks_.end()) {
      rounds_[pid] = clock->second.front().time;
      seen_in[rounds_[pid]].push_back(pid);
    }
  std::erase_if(clocks_, [&](const auto& one) {
    if (seen.contains(one.first)) return false;
    const std::int64_t round = one.second.front().time;
    const auto beside = seen_in.find(round);
    const bool is_worker =
        beside != seen_in.end() && std::ranges::any_of(beside->second, [&one](std::int64_t pid) {
          return std::abs(pid - one.first) <= kNeighbours;
        });
    if (is_worker) ++unseen_in_[round];
    return !is_worker;
  });
}

std::uint32_t ForkedWorkers::unseen_beside(const std::set<std::int64_t>& workers) const {
  std::set<std::int64_t> rounds;
  for (const std::int64_t pid : workers)
    if (const auto round = rounds_.find(pid); round != rounds_.end()) rounds.insert(round->second);
  std::uint32_t out = 0;
  for (const std::int64_t round : rounds)
    if (const auto unseen = unseen_in_.find(round); unseen != unseen_in_.end())
      out += unseen->second;
  return out;
}

double ForkedWorkers::cpu_in(Interval time) const {
  std::size_t covered = 0;
  double out = 0;
  for (const auto& [pid, clock] : clocks_) {
    const Interval known = intersect({clock.front().time, clock.back().time}, time);
    if (2 * known.length() >= time.length()) ++covered;
    // What lies before the first reading and behind the last one is like the rest.
    if (!known.empty())
      out += growth_in(clock, known) * static_cast<double>(time.length()) /
             static_cast<double>(known.length());
  }
  return 2 * covered > clocks_.size() ? out : 0;
}

double ForkedWorkers::cpu_of_lives() const {
  double out = 0;
  for (const auto& [pid, clock] : clocks_) out += clock.back().value;
  return out;
}

}  // namespace stepscope
