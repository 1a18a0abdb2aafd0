// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/graph/worker_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/attribution/host/forked_workers.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

// Takes from here on are not used: what single batches differ by would add up.
constexpr std::size_t kEarlyTakes = 40;
// Fewer batches than these, made while its clock was read, tell nothing of a worker: what it makes ahead
// at first is not taken yet.
constexpr double kFewestBatches = 3;
// Share of their time asleep from which on workers count as waiting for requests.
constexpr double kIdle = 0.05;

// Share of the time in takes from which on the loop waits for its workers throughout.
constexpr double kStarves = 0.2;
constexpr std::size_t kManyTimes = 3;

struct Worker {
  Interval life;               // from its first record or sample to its last
  std::vector<ThreadId> seen;  // its main thread, as recorded by itself and as read from outside
};

bool is_of(const Trace& trace, ThreadId thread, ProcessId loops) {
  const auto& processes = trace.data().processes;
  const ProcessId own = trace.data().threads[thread].process;
  if (own == loops) return true;
  const auto parent = processes[own].facts.find("parent_pid");
  return parent != processes[own].facts.end() && processes[own].host == processes[loops].host &&
         parent->second == std::to_string(processes[loops].pid);
}

void extend(Interval& life, Interval by) {
  if (by.empty()) return;
  life = life.empty() ? by : Interval{std::min(life.begin, by.begin), std::max(life.end, by.end)};
}

// Returns the workers by process id.
std::map<std::int64_t, Worker> workers_of(const ProcessIndex& index) {
  const Trace& trace = index.trace;
  const Samples& samples = trace.data().samples;
  std::map<std::int64_t, Worker> out;
  for (std::size_t row = 0; row < samples.size(); ++row) {
    const ThreadId thread = samples.thread[row];
    if ((samples.flags[row] & kSampleWorker) == 0 || !is_of(trace, thread, index.process)) continue;
    Worker& worker = out[trace.data().threads[thread].tid];
    extend(worker.life, {samples.time[row], samples.time[row] + 1});
    if (std::find(worker.seen.begin(), worker.seen.end(), thread) == worker.seen.end())
      worker.seen.push_back(thread);
  }
  const HostRanges& h = trace.host_ranges();
  for (auto& [pid, worker] : out) {
    for (const ThreadId thread : worker.seen) {
      const Rows rows = trace.ranges_of(thread);
      if (rows.size() > 0) extend(worker.life, {h.begin[rows.begin], h.end[rows.end - 1]});
      extend(worker.life, index.cpu.waits_known(thread));
    }
  }
  return out;
}

// Where a thread slept, by the samples at both ends of a stretch.
struct Asleep {
  double making = 0, idle = 0, unknown = 0;

  void add(std::uint8_t before, std::uint8_t after, double ns) {
    const bool first = (before & kSampleStateMask) == kSampleSlept;
    const bool second = (after & kSampleStateMask) == kSampleSlept;
    if (!first && !second) {
      unknown += ns;
      return;
    }
    const double share = first && second ? 0.5 : 1;
    if (first) ((before & kSampleFetching) != 0 ? making : idle) += share * ns;
    if (second) ((after & kSampleFetching) != 0 ? making : idle) += share * ns;
  }

  // Divides time in an unknown state like the rest; without any known, the worker waited for
  // requests.
  double all_making() const {
    const double known = making + idle;
    return known > 0 ? making + unknown * making / known : 0;
  }
};

Asleep asleep(const ProcessIndex& index, ThreadId thread, Interval time) {
  const Samples& samples = index.trace.data().samples;
  const auto [begin, end] = std::equal_range(samples.thread.begin(), samples.thread.end(), thread);
  const auto first = static_cast<std::size_t>(begin - samples.thread.begin());
  const auto last = static_cast<std::size_t>(end - samples.thread.begin());
  Asleep out;
  for (std::size_t row = first; row + 1 < last; ++row) {
    const Interval between = intersect({samples.time[row], samples.time[row + 1]}, time);
    const auto use = index.cpu.use(thread, between);
    if (!between.empty() && use)
      out.add(samples.flags[row], samples.flags[row + 1], static_cast<double>(use->slept));
  }
  return out;
}

// Returns the thread whose clock is known for longest among those under which the worker was seen: read
// from outside it is known only while the loop waits. None: no clock of it was read.
std::optional<ThreadId> best_known(const ProcessIndex& index, const Worker& worker) {
  std::optional<ThreadId> best;
  std::int64_t longest = 0;
  for (const ThreadId thread : worker.seen) {
    const std::int64_t known = index.cpu.waits_known(thread).length();
    if (known <= longest) continue;
    longest = known;
    best = thread;
  }
  return best;
}

std::vector<std::uint32_t> alive_at(const std::map<std::int64_t, Worker>& workers,
                                    const ForkedWorkers& forked,
                                    std::span<const LoaderTake> takes) {
  std::vector<std::uint32_t> out;
  for (const LoaderTake& take : takes) {
    std::set<std::int64_t> alive;
    for (const auto& [pid, worker] : workers)
      if (worker.life.begin < take.time.end && worker.life.end > take.time.begin) alive.insert(pid);
    out.push_back(static_cast<std::uint32_t>(alive.size()) + forked.unseen_beside(alive));
  }
  return out;
}

ForkedWorkers forked_workers(const ProcessIndex& index,
                             const std::map<std::int64_t, Worker>& workers) {
  std::set<std::int64_t> seen;
  for (const auto& [pid, worker] : workers) seen.insert(pid);
  return {index.trace, index.process, seen};
}

// Where the loop waits for much of the time, its workers never wait for requests: making a batch takes each
// of them as long as the loop takes for as many batches as there are workers. Their clocks, read now and
// then by the process that forked them, say how much of that they compute. Where the loop hardly waits, or
// workers end with their epoch, the clocks say the least that a batch takes.
void use_clocks_from_outside(const ForkedWorkers& forked, std::span<const LoaderTake> takes,
                             Interval steady, WorkerTime& out) {
  double waiting = 0, batches = 0;
  for (const LoaderTake& take : takes) {
    const bool counts = take.time.end > steady.begin && take.time.end <= steady.end;
    batches += counts ? 1 : 0;
    waiting += static_cast<double>(intersect(take.time, steady).length());
  }
  const double cpu = forked.cpu_in(steady);
  const auto length = static_cast<double>(steady.length());
  if (batches < kFewestBatches * out.workers) return;
  if (cpu <= 0) {
    const double of_lives = forked.cpu_of_lives() / static_cast<double>(takes.size());
    if (of_lives > 0) out.on_core_ns_a_batch = of_lives;
    return;
  }
  if (waiting < kStarves * length) {
    out.on_core_ns_a_batch = cpu / batches;
    return;
  }
  out.ns_a_batch = out.workers * length / batches;
  out.computes = std::min(1.0, cpu / batches / *out.ns_a_batch);
}

// Returns how long the records alone show that the loop unpacks.
double unpacks_by_records(const ProcessIndex& index, Interval take) {
  const ThreadId loop = index.threads.loop();
  double out = 0;
  for (std::int64_t at = take.begin; at < take.end;) {
    const Piece piece = index.threads.work(loop).at(at);
    if (index.causes.of(loop, piece) == Cause::host_data_take)
      out += static_cast<double>(intersect(piece.time, take).length());
    at = piece.time.end;
  }
  return out;
}

// The median: takes in which a loader begins anew also start workers.
std::optional<double> awake_a_take(const ProcessIndex& index, std::span<const LoaderTake> takes) {
  std::vector<double> awake;
  for (const LoaderTake& take : takes) {
    if (const auto ns = awake_in_take(index, take.time)) awake.push_back(*ns);
  }
  return awake.empty() ? std::nullopt : std::optional(median_of(std::move(awake)));
}

// Ends of the ranges that workers recorded, in order of time.
std::vector<std::int64_t> recorded_by(const ProcessIndex& index,
                                      const std::map<std::int64_t, Worker>& workers) {
  const HostRanges& h = index.trace.host_ranges();
  std::vector<std::int64_t> out;
  for (const auto& [pid, worker] : workers) {
    for (const ThreadId thread : worker.seen) {
      const Rows rows = index.trace.ranges_of(thread);
      out.insert(out.end(), h.end.begin() + rows.begin, h.end.begin() + rows.end);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Returns the share of their time that the workers slept, waiting for a request.
double idle_share(const ProcessIndex& index, const std::map<std::int64_t, Worker>& workers,
                  Interval time) {
  double idle = 0, known = 0;
  for (const auto& [pid, worker] : workers) {
    for (const ThreadId thread : worker.seen) {
      const Interval part = intersect(time, index.cpu.waits_known(thread));
      if (part.empty()) continue;
      idle += asleep(index, thread, part).idle;
      known += static_cast<double>(part.length());
    }
  }
  return known > 0 ? idle / known : 0;
}

// Returns how many batches one run of the loader asks for ahead, by worker. Less than the usual
// number is believed only where the workers had nothing to do although fewer batches were made.
std::uint32_t prefetch_factor(const ProcessIndex& index,
                              const std::map<std::int64_t, Worker>& workers,
                              std::span<const LoaderTake> takes, std::uint32_t at_once) {
  const std::vector<std::int64_t> recorded = recorded_by(index, workers);
  const auto until = [&recorded](const LoaderTake& take) {
    return static_cast<double>(std::lower_bound(recorded.begin(), recorded.end(), take.time.begin) -
                               recorded.begin());
  };
  const std::size_t n = takes.size();
  const std::size_t first = n / 4, last = 3 * n / 4;
  if (workers.size() != at_once || last <= first) return kUsualPrefetchFactor;
  const double a_batch =
      (until(takes[last]) - until(takes[first])) / static_cast<double>(last - first);
  if (a_batch < 1) return kUsualPrefetchFactor;
  std::vector<double> ahead;
  const std::size_t begin = std::size_t{kUsualPrefetchFactor} * at_once;
  const std::size_t end = std::min(begin + kEarlyTakes, last);
  for (std::size_t i = begin; i < end; ++i)
    ahead.push_back(until(takes[i]) / a_batch - static_cast<double>(i));
  if (ahead.empty()) return kUsualPrefetchFactor;
  const double most = *std::max_element(ahead.begin(), ahead.end());
  const auto factor = static_cast<std::uint32_t>(std::max(0.0, std::round(most) / at_once));
  const bool had_nothing_to_do =
      idle_share(index, workers, {takes[begin].time.begin, takes[end].time.begin}) >= kIdle;
  return factor >= 1 && had_nothing_to_do ? factor : std::max(factor, kUsualPrefetchFactor);
}

}  // namespace

std::optional<double> awake_in_take(const ProcessIndex& index, Interval take) {
  const auto use = index.cpu.use(index.threads.loop(), take);
  if (use) return static_cast<double>(use->ran + use->waited);
  const double unpacks = unpacks_by_records(index, take);
  return unpacks > 0 ? std::optional(unpacks) : std::nullopt;
}

std::vector<ThreadId> worker_threads(const ProcessIndex& index) {
  std::vector<ThreadId> out;
  for (const auto& [pid, worker] : workers_of(index))
    if (const auto thread = best_known(index, worker)) out.push_back(*thread);
  return out;
}

WorkerTime worker_time(const ProcessIndex& index, std::span<const LoaderTake> takes) {
  const auto workers = workers_of(index);
  const ForkedWorkers forked = forked_workers(index, workers);
  const std::vector<std::uint32_t> alive = alive_at(workers, forked, takes);
  WorkerTime out;
  std::vector<std::uint32_t> sorted(alive);
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty()) out.workers = sorted[sorted.size() / 2];
  out.awake_ns_a_take = awake_a_take(index, takes);
  if (out.workers > 0) out.prefetch_factor = prefetch_factor(index, workers, takes, out.workers);
  const std::size_t ahead = std::size_t{kUsualPrefetchFactor} * out.workers;
  if (out.workers == 0 || takes.size() <= 2 * ahead) return out;
  const Interval steady{takes[ahead].time.begin, takes[takes.size() - 1 - ahead].time.end};
  double on_core = 0, core_wait = 0, asleep_ns = 0, batches = 0;
  for (const auto& [pid, worker] : workers) {
    const auto thread = best_known(index, worker);
    if (!thread) continue;
    const Interval time = intersect(steady, index.cpu.waits_known(*thread));
    const auto use = index.cpu.use(*thread, time);
    if (time.empty() || !use) continue;
    double of_worker = 0;
    for (std::size_t i = 0; i < takes.size(); ++i) {
      const bool counts = takes[i].time.end > time.begin && takes[i].time.end <= time.end;
      if (counts && alive[i] > 0) of_worker += 1.0 / alive[i];
    }
    if (of_worker < kFewestBatches) continue;
    batches += of_worker;
    on_core += static_cast<double>(use->ran);
    core_wait += static_cast<double>(use->waited);
    asleep_ns += asleep(index, *thread, time).all_making();
  }
  if (batches < 1 || on_core + asleep_ns <= 0) {
    use_clocks_from_outside(forked, takes, steady, out);
    return out;
  }
  out.ns_a_batch = (on_core + asleep_ns) / batches;
  out.computes = on_core / (on_core + asleep_ns);
  out.core_wait_ns = core_wait / batches;
  return out;
}

std::int64_t made_ahead_until(const ProcessIndex& index, std::span<const LoaderTake> takes) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
  const auto workers = workers_of(index);
  const ForkedWorkers forked = forked_workers(index, workers);
  std::vector<std::uint32_t> alive = alive_at(workers, forked, takes);
  if (alive.empty()) return kNever;
  std::ranges::sort(alive);
  const std::size_t ahead = std::size_t{kUsualPrefetchFactor} * alive[alive.size() / 2];
  if (ahead < 2 || takes.size() < kManyTimes * ahead) return kNever;
  const auto mean_take = [&takes](std::size_t begin, std::size_t end) {
    double ns = 0;
    for (std::size_t i = begin; i < end; ++i) ns += static_cast<double>(takes[i].time.length());
    return ns / static_cast<double>(end - begin);
  };
  const double later = mean_take(ahead, takes.size());
  const auto between = static_cast<double>(takes.back().time.end - takes[ahead].time.begin) /
                       static_cast<double>(takes.size() - ahead);
  const bool waits_later = later >= kStarves * between && later >= kManyTimes * mean_take(1, ahead);
  return waits_later ? takes[ahead].time.begin : kNever;
}

}  // namespace stepscope
