// SPDX-License-Identifier: Apache-2.0
#include "core/findings/host_cores.hpp"

#include <charconv>
#include <string>

namespace stepscope::rules {
namespace {

constexpr const char* kWorkerName = "DataLoader worker";

bool is_worker(const JudgedRun& run, ThreadId thread) {
  const Thread& one = run.trace.data().threads[thread];
  return one.process == run.steps.process && one.name == kWorkerName && thread != run.steps.thread;
}

Interval counted_span(const JudgedRun& run) {
  const auto& list = run.steps.list;
  return {list[run.summary.counted.front()].window.begin,
          list[run.summary.counted.back()].window.end};
}

}  // namespace

bool core_wait_is_known(const JudgedRun& run) {
  return !run.cpu.waits_known(run.steps.thread).empty();
}

std::int64_t core_wait_ns(const JudgedRun& run, Interval time) {
  return run.cpu.waited_ns(run.steps.thread, time);
}

std::optional<std::uint32_t> core_count(const JudgedRun& run) {
  const auto& facts = run.trace.data().processes[run.steps.process].facts;
  const auto found = facts.find("machine.cpus");
  std::uint32_t cores = 0;
  if (found == facts.end()) return std::nullopt;
  const std::string& text = found->second;
  (void)std::from_chars(text.data(), text.data() + text.size(), cores);
  return cores > 0 ? std::optional(cores) : std::nullopt;
}

std::uint32_t loader_workers(const JudgedRun& run) {
  return run.attribution.loader.workers;
}

std::optional<double> input_cpu_share(const JudgedRun& run, const IntervalSet& times) {
  double ran = 0, seen = 0;
  const auto add = [&](ThreadId thread, Interval time) {
    const auto share = run.cpu.share(thread, time);
    if (!share) return;
    ran += *share * static_cast<double>(time.length());
    seen += static_cast<double>(time.length());
  };
  if (loader_workers(run) == 0) {
    for (const Interval& time : times) add(run.steps.thread, time);
  } else {
    for (ThreadId t = 0; t < run.trace.data().threads.size(); ++t)
      if (is_worker(run, t)) add(t, counted_span(run));
  }
  return seen > 0 ? std::optional(ran / seen) : std::nullopt;
}

}  // namespace stepscope::rules
