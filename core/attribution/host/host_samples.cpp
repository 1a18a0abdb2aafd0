// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/host_samples.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/attribution/host/site_counts.hpp"

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

SiteId line_of_most(const std::map<std::int64_t, WorkerState>& workers) {
  SiteCounts count;
  for (const auto& [tid, worker] : workers) {
    if (worker.busy && worker.site != kNone) ++count[worker.site];
  }
  return most_common(count);
}

// By process: the one of this trace that started it; itself where that is not known.
std::vector<ProcessId> starters_of(const Trace& trace) {
  const std::vector<Process>& processes = trace.data().processes;
  std::vector<ProcessId> out(processes.size());
  for (ProcessId process = 0; process < processes.size(); ++process) {
    out[process] = process;
    const auto parent = processes[process].facts.find("parent_pid");
    if (parent == processes[process].facts.end()) continue;
    for (ProcessId other = 0; other < processes.size(); ++other) {
      const bool same_host = processes[other].host == processes[process].host;
      if (same_host && std::to_string(processes[other].pid) == parent->second) out[process] = other;
    }
  }
  return out;
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
  add_changes(trace, order);
}

void HostSamples::add_changes(const Trace& trace, const std::vector<std::uint32_t>& order) {
  const std::vector<ProcessId> starters = starters_of(trace);
  std::vector<std::map<std::int64_t, WorkerState>> workers(changes_.size());
  std::vector<SiteCounts> counts(changes_.size());
  const auto add = [&](ProcessId of, std::uint32_t row) {
    const std::int64_t worker = trace.data().threads[samples_.thread[row]].tid;
    const bool busy = (samples_.flags[row] & kSampleFetching) != 0;
    if ((samples_.flags[row] & kSampleEnded) != 0) {
      workers[of].erase(worker);
    } else {
      workers[of][worker] = {true, busy, samples_.site[row]};
    }
    if (busy && samples_.site[row] != kNone) ++counts[of][samples_.site[row]];
    const auto at_work = std::count_if(workers[of].begin(), workers[of].end(),
                                       [](const auto& one) { return one.second.busy; });
    changes_[of].push_back({samples_.time[row], line_of_most(workers[of]),
                            static_cast<std::uint32_t>(at_work),
                            static_cast<std::uint32_t>(workers[of].size())});
  };
  for (const std::uint32_t row : order) {
    const ProcessId own = trace.data().threads[samples_.thread[row]].process;
    add(own, row);
    if (starters[own] != own) add(starters[own], row);
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
