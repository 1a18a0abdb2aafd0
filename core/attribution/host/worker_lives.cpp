// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/worker_lives.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace stepscope {
namespace {

constexpr std::uint32_t kQuarter = 4;

template <class Waits>
auto first_behind(const Waits& waits, std::int64_t time) {
  return std::upper_bound(waits.begin(), waits.end(), time,
                          [](std::int64_t t, const auto& wait) { return t < wait.begin; });
}

}  // namespace

WorkerLives::WorkerLives(const Trace& trace, ProcessId process,
                         const std::vector<std::uint32_t>& rows) {
  const Samples& samples = trace.data().samples;
  std::vector<std::optional<SiteId>> waits_at(trace.data().threads.size());
  for (std::uint32_t row = 0; row < samples.size(); ++row) {
    const ThreadId thread = samples.thread[row];
    const std::uint8_t flags = samples.flags[row];
    if (trace.data().threads[thread].process != process || (flags & kSampleWorker) != 0) continue;
    const auto before = std::exchange(waits_at[thread], std::nullopt);
    if ((flags & kSampleInLoader) == 0) continue;
    waits_at[thread] = samples.site[row];
    if (before != waits_at[thread]) waits_.push_back({samples.time[row], samples.site[row]});
  }
  std::sort(waits_.begin(), waits_.end(),
            [](const Wait& a, const Wait& b) { return a.begin < b.begin; });
  for (const std::uint32_t row : rows) {
    if ((samples.flags[row] & kSampleEnded) != 0) continue;
    Worker& worker = workers_[trace.data().threads[samples.thread[row]].tid];
    worker.last = samples.time[row];
    if ((samples.flags[row] & kSampleFetching) != 0)
      ++worker.batches[waiting_line(samples.time[row])];
  }
}

bool WorkerLives::lives(std::int64_t worker, std::int64_t time) const {
  const auto known = workers_.find(worker);
  if (known == workers_.end()) return false;
  const auto next = first_behind(waits_, known->second.last);
  return next == waits_.end() || time < next->begin;
}

bool WorkerLives::serves_wait_at(std::int64_t worker, std::int64_t time) const {
  const SiteCounts& batches = workers_.at(worker).batches;
  const auto seen = [](std::uint32_t sum, const auto& one) { return sum + one.second; };
  const std::uint32_t all = std::accumulate(batches.begin(), batches.end(), 0U, seen);
  const auto here = batches.find(waiting_line(time));
  return all == 0 || (here != batches.end() && kQuarter * here->second >= all);
}

SiteId WorkerLives::waiting_line(std::int64_t time) const {
  const auto next = first_behind(waits_, time);
  return next == waits_.begin() ? kNone : std::prev(next)->line;
}

}  // namespace stepscope
