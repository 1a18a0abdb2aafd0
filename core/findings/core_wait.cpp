// SPDX-License-Identifier: Apache-2.0
#include "core/findings/core_wait.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "core/attribution/host/thread_cpu.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kWorkerName = "DataLoader worker";

bool is_worker(const Scene& scene, ThreadId thread) {
  const Thread& one = scene.trace.data().threads[thread];
  return one.process == scene.steps.process && one.name == kWorkerName &&
         thread != scene.steps.thread;
}

Interval counted_span(const Scene& scene) {
  const auto& list = scene.steps.list;
  return {list[scene.summary.counted.front()].window.begin,
          list[scene.summary.counted.back()].window.end};
}

}  // namespace

CoreWait::CoreWait(const Scene& scene) {
  const TraceData& data = scene.trace.data();
  if (scene.steps.thread >= data.threads.size()) return;
  const std::string wanted =
      kThreadWaitTrack + std::to_string(data.threads[scene.steps.thread].tid);
  const Counters& c = data.counters;
  for (std::size_t row = 0; row < c.size(); ++row) {
    if (c.process[row] == scene.steps.process && scene.trace.text(c.track[row]) == wanted)
      samples_.push_back({c.time[row], c.value[row]});
  }
  std::sort(samples_.begin(), samples_.end(),
            [](const Sample& a, const Sample& b) { return a.time < b.time; });
}

double CoreWait::waited_at(std::int64_t time) const {
  const auto after = std::lower_bound(samples_.begin(), samples_.end(), time,
                                      [](const Sample& s, std::int64_t t) { return s.time < t; });
  if (after == samples_.begin()) return samples_.front().waited_ns;
  if (after == samples_.end()) return samples_.back().waited_ns;
  const Sample& before = *(after - 1);
  const double part = static_cast<double>(time - before.time) /
                      static_cast<double>(std::max<std::int64_t>(1, after->time - before.time));
  return before.waited_ns + part * (after->waited_ns - before.waited_ns);
}

double CoreWait::ns_in(Interval time) const {
  if (!is_known() || time.length() <= 0) return 0;
  return std::clamp(waited_at(time.end) - waited_at(time.begin), 0.0,
                    static_cast<double>(time.length()));
}

std::optional<std::uint32_t> core_count(const Scene& scene) {
  const auto& facts = scene.trace.data().processes[scene.steps.process].facts;
  const auto found = facts.find("machine.cpus");
  std::uint32_t cores = 0;
  if (found == facts.end()) return std::nullopt;
  const std::string& text = found->second;
  (void)std::from_chars(text.data(), text.data() + text.size(), cores);
  return cores > 0 ? std::optional(cores) : std::nullopt;
}

std::uint32_t loader_workers(const Scene& scene) {
  std::uint32_t out = 0;
  for (ThreadId t = 0; t < scene.trace.data().threads.size(); ++t)
    if (is_worker(scene, t)) ++out;
  return out;
}

std::optional<double> input_cpu_share(const Scene& scene, const IntervalSet& times) {
  const ThreadCpu cpu(scene.trace);
  double ran = 0, seen = 0;
  const auto add = [&](ThreadId thread, Interval time) {
    const auto share = cpu.share(thread, time);
    if (!share) return;
    ran += *share * static_cast<double>(time.length());
    seen += static_cast<double>(time.length());
  };
  if (loader_workers(scene) == 0) {
    for (const Interval& time : times) add(scene.steps.thread, time);
  } else {
    for (ThreadId t = 0; t < scene.trace.data().threads.size(); ++t)
      if (is_worker(scene, t)) add(t, counted_span(scene));
  }
  return seen > 0 ? std::optional(ran / seen) : std::nullopt;
}

}  // namespace stepscope::rules
