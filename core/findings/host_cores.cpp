// SPDX-License-Identifier: Apache-2.0
#include "core/findings/host_time.hpp"

#include <charconv>
#include <string>

#include "core/simulate/graph/worker_time.hpp"

namespace stepscope::rules {

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
  if (loader_workers(run) > 0) {
    if (run.attribution.walked == nullptr) return std::nullopt;
    const LoaderTakes takes(*run.attribution.walked);
    const WorkerTime time = worker_time(*run.attribution.walked, takes.all());
    return time.ns_a_batch ? std::optional(time.computes) : std::nullopt;
  }
  double ran = 0, slept = 0;
  for (const Interval& time : times) {
    const auto use = run.cpu.use(run.steps.thread, time);
    if (!use) continue;
    ran += static_cast<double>(use->ran);
    slept += static_cast<double>(use->slept);
  }
  return ran + slept > 0 ? std::optional(ran / (ran + slept)) : std::nullopt;
}

}  // namespace stepscope::rules
