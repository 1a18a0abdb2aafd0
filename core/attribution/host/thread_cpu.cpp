// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/thread_cpu.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace stepscope {
namespace {

// A track's name holds the thread's id; the same id may be in several processes.
std::unordered_map<std::string, ThreadId> threads_by_track(const Trace& trace) {
  std::unordered_map<std::string, ThreadId> threads;
  for (ThreadId t = 0; t < trace.data().threads.size(); ++t) {
    const Thread& thread = trace.data().threads[t];
    threads[std::to_string(thread.process) + kThreadCpuTrack + std::to_string(thread.tid)] = t;
  }
  return threads;
}

}  // namespace

ThreadCpu::ThreadCpu(const Trace& trace) : samples_(trace.data().threads.size()) {
  const Counters& c = trace.data().counters;
  const auto threads = threads_by_track(trace);
  for (std::size_t row = 0; row < c.size(); ++row) {
    const std::string_view track = trace.text(c.track[row]);
    if (!track.starts_with(kThreadCpuTrack)) continue;
    const auto found = threads.find(std::to_string(c.process[row]) + std::string(track));
    if (found != threads.end()) samples_[found->second].push_back({c.time[row], c.value[row]});
  }
  const Samples& seen = trace.data().samples;
  for (std::size_t row = 0; row < seen.size(); ++row) {
    if (seen.cpu[row] != 0)
      samples_[seen.thread[row]].push_back({seen.time[row], static_cast<double>(seen.cpu[row])});
  }
  for (auto& samples : samples_) {
    std::sort(samples.begin(), samples.end(),
              [](const Sample& a, const Sample& b) { return a.time < b.time; });
  }
}

double ThreadCpu::cpu_at(const std::vector<Sample>& samples, std::int64_t time) {
  const auto after = std::lower_bound(samples.begin(), samples.end(), time,
                                      [](const Sample& s, std::int64_t t) { return s.time < t; });
  if (after == samples.begin()) return after->cpu_ns;
  const Sample& before = *(after - 1);
  const double part = static_cast<double>(time - before.time) /
                      static_cast<double>(std::max<std::int64_t>(1, after->time - before.time));
  return before.cpu_ns + part * (after->cpu_ns - before.cpu_ns);
}

std::optional<double> ThreadCpu::share(ThreadId thread, Interval time) const {
  const std::vector<Sample>& samples = samples_[thread];
  if (samples.empty() || time.length() <= 0 || samples.front().time > time.begin ||
      samples.back().time < time.end) {
    return std::nullopt;
  }
  const double ran = cpu_at(samples, time.end) - cpu_at(samples, time.begin);
  return std::clamp(ran / static_cast<double>(time.length()), 0.0, 1.0);
}

}  // namespace stepscope
