// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/host_samples.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/attribution/host/forked_workers.hpp"
#include "core/attribution/host/worker_lives.hpp"
#include "core/attribution/places/call_sites.hpp"

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

// What one worker does, by its latest sample.
struct WorkerState {
  bool busy = false;
  SiteId site = kNone;
};

SiteId line_of_most(const std::map<std::int64_t, WorkerState>& workers) {
  SiteCounts count;
  for (const auto& [tid, worker] : workers) {
    if (worker.busy && worker.site != kNone) ++count[worker.site];
  }
  return most_common(count);
}

constexpr std::uint32_t kFewestOfLibrary = 5;

// Returns where workers were most often seen at work. A few looks in a library's own code, such as the
// one that collates, may be chance: they do not stand for the waits without a look.
SiteId usual_line(const Trace& trace, SiteCounts counts) {
  std::erase_if(counts, [&trace](const auto& one) {
    const std::string_view file = trace.text(trace.data().sites[one.first].file);
    return one.second < kFewestOfLibrary && !file.empty() && !is_user_file(file);
  });
  return most_common(counts);
}

// Returns, by process, the process of this trace that started it; itself where that is not known.
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
      changes_(trace.data().processes.size()),
      usual_worker_sites_(trace.data().processes.size(), kNone) {
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
  std::vector<std::vector<std::uint32_t>> rows(changes_.size());
  for (const std::uint32_t row : order) {
    const ProcessId own = trace.data().threads[samples_.thread[row]].process;
    rows[own].push_back(row);
    if (starters[own] != own) rows[starters[own]].push_back(row);
  }
  for (ProcessId process = 0; process < rows.size(); ++process)
    add_changes_of(trace, process, rows[process]);
}

void HostSamples::add_changes_of(const Trace& trace, ProcessId process,
                                 const std::vector<std::uint32_t>& rows) {
  const WorkerLives lives(trace, process, rows);
  std::set<std::int64_t> seen;
  for (const std::uint32_t row : rows) seen.insert(trace.data().threads[samples_.thread[row]].tid);
  const ForkedWorkers forked(trace, process, seen);
  std::map<std::int64_t, WorkerState> workers;  // those that live, by their process ids
  SiteCounts counts;
  for (const std::uint32_t row : rows) {
    const std::int64_t time = samples_.time[row];
    const std::int64_t worker = trace.data().threads[samples_.thread[row]].tid;
    const bool busy = (samples_.flags[row] & kSampleFetching) != 0;
    std::erase_if(workers, [&](const auto& one) { return !lives.lives(one.first, time); });
    if ((samples_.flags[row] & kSampleEnded) != 0) {
      workers.erase(worker);
    } else {
      workers[worker] = {busy, samples_.site[row]};
    }
    if (busy && samples_.site[row] != kNone) ++counts[samples_.site[row]];
    Change change{time, line_of_most(workers), 0, 0};
    std::set<std::int64_t> serving;
    for (const auto& [id, state] : workers) {
      if (!lives.serves_wait_at(id, time)) continue;
      serving.insert(id);
      if (state.busy) ++change.busy;
    }
    change.known = static_cast<std::uint32_t>(serving.size()) + forked.unseen_beside(serving);
    changes_[process].push_back(change);
  }
  usual_worker_sites_[process] = usual_line(trace, std::move(counts));
}

HostSamples::Seen HostSamples::sample_before(ThreadId thread, Interval silence,
                                             std::int64_t t) const {
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
