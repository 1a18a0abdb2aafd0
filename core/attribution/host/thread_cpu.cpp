// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/thread_cpu.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "core/model/events.hpp"

namespace stepscope {
namespace {

// A track's name holds the thread's id; the same id may be in several processes.
std::unordered_map<std::string, ThreadId> threads_by_track(const Trace& trace, const char* track) {
  std::unordered_map<std::string, ThreadId> threads;
  for (ThreadId t = 0; t < trace.data().threads.size(); ++t) {
    const Thread& thread = trace.data().threads[t];
    threads[std::to_string(thread.process) + track + std::to_string(thread.tid)] = t;
  }
  return threads;
}

template <class Samples>
void add_track(const Trace& trace, const char* name, std::vector<Samples>& samples) {
  const Counters& c = trace.data().counters;
  const auto threads = threads_by_track(trace, name);
  for (std::size_t row = 0; row < c.size(); ++row) {
    const std::string_view track = trace.text(c.track[row]);
    if (!track.starts_with(name)) continue;
    const auto found = threads.find(std::to_string(c.process[row]) + std::string(track));
    if (found != threads.end()) samples[found->second].push_back({c.time[row], c.value[row]});
  }
}

// Samples are sorted by thread.
Rows rows_of(const stepscope::Samples& seen, ThreadId thread) {
  const auto [begin, end] = std::equal_range(seen.thread.begin(), seen.thread.end(), thread);
  return {static_cast<std::uint32_t>(begin - seen.thread.begin()),
          static_cast<std::uint32_t>(end - seen.thread.begin())};
}

// Returns the thread's sampled state at each of these times; 0 where no sample was taken.
template <class Samples>
std::vector<std::uint8_t> states_at(const Trace& trace, ThreadId thread, const Samples& times) {
  std::vector<std::uint8_t> out(times.size());
  const stepscope::Samples& seen = trace.data().samples;
  std::size_t i = 0;
  const Rows rows = rows_of(seen, thread);
  for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
    while (i < times.size() && times[i].time < seen.time[row]) ++i;
    if (i < times.size() && times[i].time == seen.time[row])
      out[i] = seen.flags[row] & kSampleStateMask;
  }
  return out;
}

double share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

template <class Samples>
void sort_by_time(std::vector<Samples>& all) {
  for (auto& samples : all)
    std::sort(samples.begin(), samples.end(),
              [](const auto& a, const auto& b) { return a.time < b.time; });
}

}  // namespace

ThreadCpu::ThreadCpu(const Trace& trace)
    : ran_(trace.data().threads.size()),
      waited_(trace.data().threads.size()),
      sample_times_(trace.data().threads.size()) {
  add_track(trace, kThreadCpuTrack, ran_);
  add_track(trace, kThreadWaitTrack, waited_);
  const stepscope::Samples& seen = trace.data().samples;
  for (std::size_t row = 0; row < seen.size(); ++row) {
    if (seen.cpu[row] != 0)
      ran_[seen.thread[row]].push_back({seen.time[row], static_cast<double>(seen.cpu[row])});
  }
  sort_by_time(ran_);
  sort_by_time(waited_);
  for (ThreadId thread = 0; thread < waited_.size(); ++thread) {
    for (const Sample& reading : waited_[thread]) sample_times_[thread].push_back(reading.time);
    settle_waits(trace, thread);
    bend(trace, thread);
  }
}

// Adds two points to the clocks between two samples: where the thread left the state of the first,
// and where it entered that of the second. A sample of an awake thread does not show whether a core
// would have been free without the sampler: there, running and waiting are spread side by side.
void ThreadCpu::bend(const Trace& trace, ThreadId thread) {
  const stepscope::Samples& seen = trace.data().samples;
  const auto doing = [&seen](std::size_t row) { return seen.flags[row] & kSampleStateMask; };
  Samples ran, waited;
  const Rows rows = rows_of(seen, thread);
  for (std::uint32_t row = rows.begin; row + 1 < rows.end; ++row) {
    const Interval time{seen.time[row], seen.time[row + 1]};
    const std::optional<Use> all = use(thread, time);
    if (doing(row) == 0 || doing(row + 1) == 0 || !all) continue;
    const bool first = doing(row) != kSampleSlept, second = doing(row + 1) != kSampleSlept;
    const std::int64_t awake = all->ran + all->waited;
    const auto of = [&](bool is_awake) { return is_awake ? awake : all->slept; };
    const std::int64_t head = of(first) / (first == second ? 2 : 1);
    const std::int64_t tail = of(second) - (first == second ? head : 0);
    const double begun = first ? share_of(head, awake) : 0;
    const double left = second ? share_of(tail, awake) : 0;
    const auto add = [&](std::int64_t at_time, double done) {
      if (at_time <= time.begin || at_time >= time.end) return;
      const auto along = [&](const Samples& clock) {
        const double begin = at(clock, time.begin);
        return begin + done * (at(clock, time.end) - begin);
      };
      ran.push_back({at_time, along(ran_[thread])});
      if (waited_[thread].size() > 1) waited.push_back({at_time, along(waited_[thread])});
    };
    add(time.begin + head, begun);
    add(time.end - tail, 1 - left);
  }
  ran_[thread].insert(ran_[thread].end(), ran.begin(), ran.end());
  waited_[thread].insert(waited_[thread].end(), waited.begin(), waited.end());
  std::vector<Samples> both = {std::move(ran_[thread]), std::move(waited_[thread])};
  sort_by_time(both);
  ran_[thread] = std::move(both[0]), waited_[thread] = std::move(both[1]);
}

// Moves waits for a core to where they were. A wait is counted when it ends, so one that was under
// way at a sample is counted behind it, in a time that may be too short for it; it moves to before
// the sample. When a thread that had slept there woke up is not known.
void ThreadCpu::settle_waits(const Trace& trace, ThreadId thread) {
  Samples& waits = waited_[thread];
  const std::vector<std::uint8_t> doing = states_at(trace, thread, waits);
  const auto room = [&](std::size_t i) {  // between i - 1 and i
    const Interval time{waits[i - 1].time, waits[i].time};
    const double ran = in(ran_[thread], time).value_or(0);
    return std::max(0.0, static_cast<double>(time.length()) - ran);
  };
  for (std::size_t i = waits.size(); i-- > 1;) {
    const double waited = std::max(0.0, waits[i].ns - waits[i - 1].ns);
    double earlier = std::max(0.0, waited - room(i));
    if (doing[i - 1] == kSampleWaits && i > 1) {
      const double left = std::max(0.0, room(i - 1) - (waits[i - 1].ns - waits[i - 2].ns));
      const double part = doing[i - 2] == kSampleSlept ? 0.5 : 1;
      earlier = std::max(earlier, part * std::min(waited, left));
    }
    waits[i - 1].ns += std::min(earlier, waited);
  }
}

double ThreadCpu::at(const Samples& samples, std::int64_t time) {
  const auto after = std::lower_bound(samples.begin(), samples.end(), time,
                                      [](const Sample& s, std::int64_t t) { return s.time < t; });
  if (after == samples.begin()) return after->ns;
  if (after == samples.end()) return samples.back().ns;  // a clock that was not read as long
  const Sample& before = *(after - 1);
  const double part = static_cast<double>(time - before.time) /
                      static_cast<double>(std::max<std::int64_t>(1, after->time - before.time));
  return before.ns + part * (after->ns - before.ns);
}

std::optional<double> ThreadCpu::in(const Samples& samples, Interval time) {
  if (samples.empty() || time.length() <= 0 || samples.front().time > time.begin ||
      samples.back().time < time.end) {
    return std::nullopt;
  }
  return std::clamp(at(samples, time.end) - at(samples, time.begin), 0.0,
                    static_cast<double>(time.length()));
}

std::optional<ThreadCpu::Use> ThreadCpu::use(ThreadId thread, Interval time) const {
  const std::optional<double> ran = in(ran_[thread], time);
  if (!ran) return std::nullopt;
  Use use;
  use.ran = static_cast<std::int64_t>(std::ceil(*ran));
  const std::int64_t rest = time.length() - use.ran;
  const auto waited = static_cast<std::int64_t>(in(waited_[thread], time).value_or(0));
  use.waited = std::min(waited, rest);
  use.slept = rest - use.waited;
  return use;
}

Interval ThreadCpu::waits_known(ThreadId thread) const {
  if (thread >= ran_.size() || ran_[thread].empty() || waited_[thread].size() < 2) return {};
  const auto span = [](const Samples& samples) {
    return Interval{samples.front().time, samples.back().time};
  };
  return intersect(span(ran_[thread]), span(waited_[thread]));
}

std::int64_t ThreadCpu::waited_ns(ThreadId thread, Interval time) const {
  const Interval known = intersect(time, waits_known(thread));
  const std::optional<Use> all = known.empty() ? std::nullopt : use(thread, known);
  return all ? all->waited : 0;
}

std::optional<double> ThreadCpu::share(ThreadId thread, Interval time) const {
  const std::optional<double> ran = in(ran_[thread], time);
  if (!ran) return std::nullopt;
  return *ran / static_cast<double>(time.length());
}

}  // namespace stepscope
