// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host_samples.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/attribution/site_counts.hpp"

namespace stepscope {
namespace {

// The place in `times` [begin, end) that holds just before t, in a silence: the last one before t,
// and where that lies before the silence, the first one in it. `end` where the silence has none.
template <class Iterator, class TimeOf>
Iterator holds_before(Iterator begin, Iterator end, Interval silence, std::int64_t t,
                      TimeOf time_of) {
  const auto in_order = [&](const auto& item, std::int64_t time) { return time_of(item) < time; };
  const Iterator first = std::lower_bound(begin, end, silence.begin, in_order);
  if (first == end || time_of(*first) >= silence.end) return end;
  const Iterator after = std::lower_bound(first, end, t, in_order);
  return after == first ? first : std::prev(after);
}

template <class Iterator, class TimeOf>
Interval owned_by(Iterator at, Iterator begin, Iterator end, Interval silence, TimeOf time_of) {
  const bool is_first = at == begin || time_of(*std::prev(at)) < silence.begin;
  const bool is_last = std::next(at) == end || time_of(*std::next(at)) >= silence.end;
  return {is_first ? silence.begin : time_of(*at), is_last ? silence.end : time_of(*std::next(at))};
}

// What one worker did, from its last sample on.
struct WorkerState {
  bool known = false, busy = false;
  SiteId site = kNone;
};

SiteId line_of_most(const std::map<ThreadId, WorkerState>& workers) {
  SiteCounts count;
  for (const auto& [thread, worker] : workers) {
    if (worker.busy && worker.site != kNone) ++count[worker.site];
  }
  return most_common(count);
}

}  // namespace

HostSamples::HostSamples(const Trace& trace)
    : samples_(trace.data().samples),
      rows_(trace.data().threads.size()),
      changes_(trace.data().processes.size()) {
  for (std::uint32_t row = 0; row < samples_.size(); ++row) {
    Rows& rows = rows_[samples_.thread[row]];
    if (rows.size() == 0) rows.begin = row;
    rows.end = row + 1;
  }
  add_workers(trace);
}

void HostSamples::add_workers(const Trace& trace) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t row = 0; row < samples_.size(); ++row) {
    if ((samples_.flags[row] & kSampleWorker) != 0) order.push_back(row);
  }
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return samples_.time[a] < samples_.time[b];
  });
  std::vector<std::map<ThreadId, WorkerState>> workers(changes_.size());
  std::vector<SiteCounts> counts(changes_.size());
  for (const std::uint32_t row : order) {
    const ThreadId thread = samples_.thread[row];
    const ProcessId of = trace.data().threads[thread].process;
    workers[of][thread] = {true, (samples_.flags[row] & kSampleFetching) != 0, samples_.site[row]};
    if (workers[of][thread].busy && samples_.site[row] != kNone) ++counts[of][samples_.site[row]];
    const auto busy = std::count_if(workers[of].begin(), workers[of].end(),
                                    [](const auto& worker) { return worker.second.busy; });
    changes_[of].push_back({samples_.time[row], line_of_most(workers[of]),
                            static_cast<std::uint32_t>(busy),
                            static_cast<std::uint32_t>(workers[of].size())});
  }
  for (const SiteCounts& count : counts) usual_worker_sites_.push_back(most_common(count));
}

HostSamples::Seen HostSamples::before(ThreadId thread, Interval silence, std::int64_t t) const {
  const auto time_of = [](std::int64_t time) { return time; };
  const Rows rows = rows_[thread];
  const auto begin = samples_.time.begin() + rows.begin, end = samples_.time.begin() + rows.end;
  const auto at = holds_before(begin, end, silence, t, time_of);
  if (at == end) return {silence, kNone};
  return {owned_by(at, begin, end, silence, time_of),
          static_cast<std::uint32_t>(at - samples_.time.begin())};
}

HostSamples::Workers HostSamples::workers_before(ProcessId process, Interval silence,
                                                 std::int64_t t) const {
  const auto time_of = [](const Change& change) { return change.time; };
  const std::vector<Change>& changes = changes_[process];
  auto at = holds_before(changes.begin(), changes.end(), silence, t, time_of);
  if (at == changes.end()) return {silence, usual_worker_sites_[process]};
  Interval time = owned_by(at, changes.begin(), changes.end(), silence, time_of);
  // They are looked at one after the other: until one is found at work nothing is known of them.
  while (time.begin == silence.begin && at->site == kNone && time.end < silence.end) {
    ++at;
    time.end = owned_by(at, changes.begin(), changes.end(), silence, time_of).end;
  }
  return {time, at->site, at->busy, at->known};
}

}  // namespace stepscope
