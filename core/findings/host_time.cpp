// SPDX-License-Identifier: Apache-2.0
#include "core/findings/host_time.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attribution/host/clock_readings.hpp"
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

std::optional<double> cores_of_rank(const JudgedRun& run) {
  const auto cores = core_count(run);
  if (!cores) return std::nullopt;
  const double ranks = std::max(1U, fact(run, "env.LOCAL_WORLD_SIZE").value_or(1));
  return static_cast<double>(*cores) / ranks;
}

namespace {

Interval counted_time(const JudgedRun& run) {
  const auto& counted = run.summary.counted;
  if (counted.empty()) return {};
  const auto& steps = run.steps.list;
  return {steps[counted.front()].host.begin, steps[counted.back()].host.end};
}

// The readings of a counter of each process.
std::map<ProcessId, ClockReadings> process_readings(const Trace& trace, std::string_view track) {
  std::map<ProcessId, ClockReadings> out;
  for (auto& [key, readings] : readings_of(trace, track))
    if (key.second.empty()) out[key.first] = std::move(readings);
  return out;
}

// The clocks of the run's processes on the loop's host: the recorded ones, and what these have started.
struct Clocks {
  explicit Clocks(const JudgedRun& run) {
    const auto& processes = run.trace.data().processes;
    const auto& host = processes[run.steps.process].host;
    for (auto& [process, readings] : process_readings(run.trace, kProcessCpuTrack))
      if (processes[process].host == host) add(processes[process].pid, std::move(readings), each);
    const std::set<std::int64_t> recorded = pids;
    for (auto& [key, readings] : readings_of(run.trace, kChildCpuTrack)) {
      const std::int64_t pid = std::atoll(key.second.c_str());
      if (processes[key.first].host == host && !recorded.contains(pid))
        add(pid, std::move(readings), of_children);
    }
  }
  void add(std::int64_t pid, ClockReadings clock, std::vector<ClockReadings>& to) {
    pids.insert(pid);
    to.push_back(std::move(clock));
  }

  std::set<std::int64_t> pids;
  std::vector<ClockReadings> each, of_children;  // recorded processes' and the others'
};

// Returns the CPU time of the loader's workers whose processes have no clock of their own here.
double worker_cpu_in(const JudgedRun& run, Interval time, const Clocks& clocks) {
  double ran = 0;
  for (const ThreadId thread : worker_threads(*run.attribution.index)) {
    const auto& cpu = run.attribution.index->cpu;
    const auto use = cpu.use(thread, intersect(time, cpu.waits_known(thread)));
    const bool is_read = clocks.pids.contains(run.trace.data().threads[thread].tid);
    if (use && !is_read) ran += static_cast<double>(use->ran);
  }
  return ran;
}

}  // namespace

namespace {

// What the loop's process used in the counted steps, as far as its clock was read.
struct OwnUse {
  Interval time;
  double cpu_ns = 0;
  double cores(double cpu) const { return std::max(0.0, cpu) / static_cast<double>(time.length()); }
};

std::optional<OwnUse> own_use(const JudgedRun& run) {
  const auto read = process_readings(run.trace, kProcessCpuTrack);
  const auto own = read.find(run.steps.process);
  if (own == read.end()) return std::nullopt;
  const Interval time =
      intersect(counted_time(run), {own->second.front().time, own->second.back().time});
  if (time.empty()) return std::nullopt;
  return OwnUse{time, growth_in(own->second, time)};
}

}  // namespace

std::optional<double> cores_kept_busy(const JudgedRun& run) {
  const auto own = own_use(run);
  if (!own) return std::nullopt;
  const Clocks clocks(run);
  double cpu = worker_cpu_in(run, own->time, clocks);
  for (const auto* clock : {&clocks.each, &clocks.of_children})
    for (const ClockReadings& readings : *clock) cpu += growth_in(readings, own->time);
  return own->cores(cpu);
}

std::optional<double> cores_of_children(const JudgedRun& run) {
  const auto own = own_use(run);
  if (!own) return std::nullopt;
  const Clocks clocks(run);
  double cpu = worker_cpu_in(run, own->time, clocks);
  for (const ClockReadings& readings : clocks.of_children) cpu += growth_in(readings, own->time);
  return own->cores(cpu);
}

std::optional<double> cores_beside_loop(const JudgedRun& run) {
  const auto own = own_use(run);
  if (!own) return std::nullopt;
  const auto loop = run.attribution.index->cpu.use(run.steps.thread, own->time);
  if (!loop) return std::nullopt;
  return own->cores(own->cpu_ns - static_cast<double>(loop->ran));
}

std::optional<KernelUse> kernel_use(const JudgedRun& run) {
  const Interval time = counted_time(run);
  const auto used = [&](const char* track) -> std::optional<double> {
    const auto read = process_readings(run.trace, track);
    const auto own = read.find(run.steps.process);
    if (own == read.end() || own->second.size() < 2) return std::nullopt;
    return growth_in(own->second, time);
  };
  const auto cpu = used(kProcessCpuTrack), system = used(kProcessSystemTrack);
  const auto faults = used(kPageFaultsTrack);
  if (!cpu || !system || !faults) return std::nullopt;
  return KernelUse{*cpu, *system, *faults};
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

double sampler_share(const JudgedRun& run, const IntervalSet& times) {
  const Samples& samples = run.trace.data().samples;
  const auto [begin, end] =
      std::equal_range(samples.thread.begin(), samples.thread.end(), run.steps.thread);
  const auto first = static_cast<std::size_t>(begin - samples.thread.begin());
  const auto last = static_cast<std::size_t>(end - samples.thread.begin());
  std::int64_t chooses = 0,
               all = 0;  // by samples in these times alone: one before says what was before
  for (std::size_t row = first; row + 1 < last; ++row) {
    if (total_length(clip(times, {samples.time[row], samples.time[row] + 1})) == 0) continue;
    const std::int64_t ns = total_length(clip(times, {samples.time[row], samples.time[row + 1]}));
    const std::uint8_t in =
        samples.flags[row] & (kSampleInLoader | kSampleFetching | kSampleWorker);
    all += ns;
    if (in == kSampleInLoader && samples.called[row] == 0) chooses += ns;
  }
  return all > 0 ? static_cast<double>(chooses) / static_cast<double>(all) : 0;
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

// Allocating and loading code are no making of data, and of what no record tells nobody knows.
bool is_making(Cause cause) {
  return is_host(cause) && cause != Cause::host_alloc && cause != Cause::host_module_load &&
         cause != Cause::host_other;
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
