// SPDX-License-Identifier: Apache-2.0
#include "core/findings/host_time.hpp"

#include <charconv>
#include <map>
#include <string>

#include "core/simulate/graph/worker_time.hpp"
#include "core/steps/compilation.hpp"

namespace stepscope::rules {

bool core_wait_is_known(const JudgedRun& run) {
  return !run.attribution.index->cpu.waits_known(run.steps.thread).empty();
}

namespace {

// Returns a positive number among the loop's process's facts.
std::optional<std::uint32_t> fact(const JudgedRun& run, const char* name) {
  const auto& facts = run.trace.data().processes[run.steps.process].facts;
  const auto found = facts.find(name);
  std::uint32_t number = 0;
  if (found == facts.end()) return std::nullopt;
  const std::string& text = found->second;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> core_count(const JudgedRun& run) {
  return fact(run, "machine.cpus");
}

std::uint32_t torch_threads(const JudgedRun& run) {
  if (!run.trace.data().processes[run.steps.process].facts.contains("torch")) return 0;
  const auto given = fact(run, "env.OMP_NUM_THREADS");
  return given ? *given : core_count(run).value_or(0);
}

std::uint32_t loader_workers(const JudgedRun& run) {
  return run.attribution.loader.workers;
}

std::optional<double> input_cpu_share(const JudgedRun& run, const IntervalSet& times) {
  if (loader_workers(run) > 0) {
    const LoaderTakes takes(*run.attribution.index);
    const WorkerTime time = worker_time(*run.attribution.index, takes.all());
    return time.ns_a_batch ? std::optional(time.computes) : std::nullopt;
  }
  double ran = 0, slept = 0;
  for (const Interval& time : times) {
    const auto use = run.attribution.index->cpu.use(run.steps.thread, time);
    if (!use) continue;
    ran += static_cast<double>(use->ran);
    slept += static_cast<double>(use->slept);
  }
  return ran + slept > 0 ? std::optional(ran / (ran + slept)) : std::nullopt;
}

namespace {

IntervalSet compiling_times(const JudgedRun& run) {
  const HostRanges& h = run.trace.host_ranges();
  std::vector<Interval> times;
  for (const RangeId range : compilation_ranges(run.trace, run.steps.process))
    times.push_back({h.begin[range], h.end[range]});
  return unite(std::move(times));
}

}  // namespace

Compiling::Compiling(const JudgedRun& run) : times(compiling_times(run)) {}

std::int64_t Compiling::ns_in(const Segment& segment) const {
  if (segment.cause == Cause::host_module_load) return segment.time.length();
  return is_host(segment.cause) ? total_length(clip(times, segment.time)) : 0;
}

namespace {

// Allocating and loading code are no making of data.
bool is_making(Cause cause) {
  return is_host(cause) && cause != Cause::host_alloc && cause != Cause::host_module_load;
}

}  // namespace

std::vector<Preparing> preparing(const JudgedRun& run, const std::vector<bool>& chosen) {
  const std::vector<Segment>& segments = run.segments();
  std::vector<Preparing> out;
  std::size_t segment = 0;
  for (std::size_t u = 0; u < run.calls.uploads.size(); ++u) {
    const Upload& upload = run.calls.uploads[u];
    while (segment < segments.size() && segments[segment].time.end <= upload.preparing.begin)
      ++segment;
    if (!chosen[u]) continue;
    for (std::size_t i = segment;
         i < segments.size() && segments[i].time.begin < upload.preparing.end; ++i) {
      const Segment& s = segments[i];
      if (!is_making(s.cause) || s.phase != upload.phase || !run.counts(s.time.begin)) continue;
      const std::int64_t ns = intersect(s.time, upload.preparing).length();
      if (ns > 0) out.push_back({i, ns, u});
    }
  }
  return out;
}

std::vector<bool> tiny_uploads(const JudgedRun& run) {
  const std::vector<Upload>& uploads = run.calls.uploads;
  const auto is_tiny = [](const Upload& upload) {
    return upload.pageable && upload.bytes <= kTinyBytes;
  };
  std::map<std::pair<SiteId, PhaseId>, std::uint64_t> counts;
  const auto key = [](const Upload& upload) {
    return std::pair{upload.site, upload.site == kNone ? upload.phase : 0};
  };
  for (const Upload& upload : uploads)
    if (is_tiny(upload) && run.counts(upload.time.begin)) ++counts[key(upload)];
  std::vector<bool> out;
  for (const Upload& upload : uploads)
    out.push_back(is_tiny(upload) && run.count_per_step(counts[key(upload)]) >= kManyTiny);
  return out;
}

}  // namespace stepscope::rules
