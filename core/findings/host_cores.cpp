// SPDX-License-Identifier: Apache-2.0
#include "core/findings/host_cores.hpp"

#include <charconv>
#include <string>

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

bool core_wait_is_known(const Scene& scene) {
  return !scene.cpu.waits_known(scene.steps.thread).empty();
}

std::int64_t core_wait_ns(const Scene& scene, Interval time) {
  return scene.cpu.waited_ns(scene.steps.thread, time);
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
  double ran = 0, seen = 0;
  const auto add = [&](ThreadId thread, Interval time) {
    const auto share = scene.cpu.share(thread, time);
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
