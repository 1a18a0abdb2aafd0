// SPDX-License-Identifier: Apache-2.0
// What a reader must know before believing the numbers: broken invariants, losses, what was not
// seen.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/attribution/process_index.hpp"
#include "core/model/losses.hpp"
#include "core/steps/capture_gaps.hpp"
#include "core/summary/parts.hpp"

namespace stepscope::summary_parts {
namespace {

std::string_view name_of(SourceKind source) {
  switch (source) {
    case SourceKind::stepscope:
      return "stepscope";
    case SourceKind::kineto:
      return "kineto";
    case SourceKind::nsys:
      return "nsys";
    case SourceKind::unknown:
      break;
  }
  return "unknown";
}

// Facts that name a version, as opposed to the command, the environment and other circumstances.
bool is_version(std::string_view key) {
  return key != "command" && key.find('.') == std::string_view::npos;
}

void check_sums(const PartitionSummary& partition, std::vector<std::string>& broken) {
  std::int64_t sum = 0;
  std::int64_t busy = 0;
  for (const PartSum& part : partition.parts) {
    sum += part.ns_total;
    if (is_device_busy(part.cause)) busy += part.ns_total;
  }
  if (sum != partition.wall_ns_total) {
    broken.push_back(fmt::format("the parts sum to {} ns, the steps' wall time is {} ns", sum,
                                 partition.wall_ns_total));
  }
  if (busy != partition.device_busy_ns_total) {
    broken.push_back(fmt::format("the device's parts sum to {} ns, its busy time is {} ns", busy,
                                 partition.device_busy_ns_total));
  }
}

template <class Test>
double share_of(const PartitionSummary& partition, Test test) {
  std::int64_t sum = 0;
  for (const PartSum& part : partition.parts) sum += test(part.cause) ? part.ns_total : 0;
  if (partition.wall_ns_total == 0) return 0;
  return static_cast<double>(sum) / static_cast<double>(partition.wall_ns_total);
}

// A GPU run whose device records are missing, as opposed to a run without a GPU.
bool launched_in_vain(const Trace& trace) {
  const std::vector<ApiKind>& api = trace.calls().api;
  return trace.device_ops().size() == 0 && std::any_of(api.begin(), api.end(), is_launch);
}

std::vector<Abstention> abstentions(const Trace& trace, const Steps& steps,
                                    const Attribution& attribution,
                                    const PartitionSummary& partition) {
  const Collected& c = trace.collected();
  std::vector<Abstention> out;
  // A built-in function of Python may tell one of these all the same.
  const auto is_unseen = [&partition](bool collected, Cause cause) {
    return !collected && share_of(partition, [cause](Cause one) { return one == cause; }) == 0;
  };
  if (is_unseen(c.garbage_collection, Cause::host_gc))
    out.push_back({"host.gc", "no collector of garbage collections ran"});
  if (is_unseen(c.off_cpu, Cause::host_off_cpu))
    out.push_back({"host.off_cpu", "no record of when threads were off the CPU"});
  if (is_unseen(c.io, Cause::host_io))
    out.push_back({"host.io", "no record of blocking system calls"});
  if (trace.used_device() && trace.device_ops().size() == 0 && !launched_in_vain(trace)) {
    out.push_back({"gpu", "the program used CUDA and its device work was not recorded"});
  }
  if (launched_in_vain(trace))
    out.push_back({"gpu", "the trace holds launches but no device activity"});
  const bool communicates =
      share_of(partition, [](Cause cause) { return cause == Cause::comm_transfer; }) > 0;
  const std::int32_t world = trace.data().processes[steps.process].world_size;
  if (communicates && attribution.last_entries.empty() && world > 1) {
    const bool all_ranks = trace.data().processes.size() >= static_cast<std::size_t>(world);
    out.push_back(
        {"comm.late_rank",
         all_ranks
             ? "which collectives of the ranks belong together could not be told: their order "
               "differs"
             : "transfer and waiting for a rank are told apart by the traces of all ranks alone"});
  }
  return out;
}

void note_count(std::vector<std::string>& notes, std::uint64_t count, std::string_view what) {
  if (count > 0) notes.push_back(fmt::format("{} {}", count, what));
}

std::vector<std::string> notes_of(const Trace& trace, const Steps& steps,
                                  const Attribution& attribution) {
  const Health& h = trace.health();
  const Edges& edges = attribution.edges;
  std::vector<std::string> notes = h.notes;
  if (launched_in_vain(trace)) {
    notes.push_back(
        "work was launched but no device activity was recorded: was another tracer active?");
  }
  if (h.lost_chunks > 0)
    notes.push_back(fmt::format(
        "{} chunk{} of the recording {} damaged or cut off: what happened then is missing, and "
        "steps "
        "that reach into it are not counted",
        h.lost_chunks, h.lost_chunks == 1 ? "" : "s", h.lost_chunks == 1 ? "is" : "are"));
  note_count(notes, h.reversed_times, "events ended before they began; kept as empty events");
  note_count(notes, h.skipped_events,
             "events of a kind that this importer does not know were skipped");
  note_count(notes, h.missing_fields, "fields were missing; their values are unknown");
  note_count(notes, edges.event_waits_inferred,
             "event waits inferred from program order: the trace does not name the events");
  note_count(notes, edges.unresolved_waits, "waits whose event is not in the trace");
  note_cuts(trace, steps, notes);
  note_graphs(trace, steps, attribution.graphs, notes);
  note_samples(trace, steps, attribution.loader, notes);
  if (const std::string why = why_no_overhead(trace, steps); !why.empty()) notes.push_back(why);
  return notes;
}

// Returns why the plan's time never came in the loop's process; empty where it came, or there was
// no plan.
std::string why_plan_never_came(const Trace& trace, const Steps& steps) {
  const std::vector<CaptureStretch> stretches = capture_stretches(trace, steps.process);
  const bool never = std::all_of(stretches.begin(), stretches.end(),
                                 [](const CaptureStretch& s) { return s.state <= 0; });
  const bool records_before =
      !stretches.empty() && steps.recorded.begin < stretches.front().time.begin;
  if (stretches.empty() || !never || records_before) return "";
  const std::string told = why_nothing_recorded(trace.health().notes);
  return told.empty() ? "the time that the capture options name did not come" : told;
}

std::optional<double> overhead(const Trace& trace, const PartitionSummary& partition) {
  const double wall = partition.wall_ns_per_step();
  if (partition.corrected_step_ns)  // whole nanoseconds: it may round beyond the wall time
    return std::max(0.0, wall - static_cast<double>(*partition.corrected_step_ns));
  const auto span = static_cast<double>(trace.end() - trace.begin());
  if (trace.health().overhead_ns == 0 || span <= 0) return std::nullopt;
  return static_cast<double>(trace.health().overhead_ns) * wall / span;
}

// Over all processes; 0 where none recorded it.
double sum_of_fact(const Trace& trace, const char* key) {
  double sum = 0;
  for (const Process& process : trace.data().processes) {
    const auto told = process.facts.find(key);
    if (told != process.facts.end()) sum += std::strtod(told->second.c_str(), nullptr);
  }
  return sum;
}

// Returns the longest life of a process; where none is recorded, the length of the trace.
double life_ns(const Trace& trace) {
  double longest = 0;
  for (const Process& process : trace.data().processes) {
    const auto told = process.facts.find("process.life_ns");
    if (told != process.facts.end())
      longest = std::max(longest, std::strtod(told->second.c_str(), nullptr));
  }
  return longest > 0 ? longest : static_cast<double>(trace.end() - trace.begin());
}

std::optional<RecorderCost> recorder_cost(const Trace& trace) {
  const double writing_ns = sum_of_fact(trace, "writer.cpu_ns");
  const double cpu_ns = writing_ns + sum_of_fact(trace, "host_samples.cpu_ns");
  const double life = life_ns(trace);
  if (writing_ns <= 0 || life <= 0) return std::nullopt;
  const auto events = static_cast<double>(trace.event_count());
  return RecorderCost{cpu_ns / life, writing_ns / events,
                      sum_of_fact(trace, "writer.decode_ns") / events};
}

// A process that a library started as a worker, in Python's multiprocessing or joblib: its command
// says how it was started, and nothing of the program.
bool is_started_by_library(std::string_view command) {
  constexpr std::string_view kSigns[] = {"--multiprocessing-fork", "from multiprocessing.",
                                         ".loky.backend."};
  return std::any_of(std::begin(kSigns), std::end(kSigns), [command](std::string_view sign) {
    return command.find(sign) != std::string_view::npos;
  });
}

std::string fact_of(const Process& process, const char* key) {
  const auto told = process.facts.find(key);
  return told == process.facts.end() ? "" : told->second;
}

// That of the process itself, or of the program whose worker it is: the nearest process around it
// that no library started, else what the run was started with.
std::string program_command(const TraceData& data, ProcessId id) {
  const Process* process = &data.processes[id];
  for (std::size_t i = 0; i < data.processes.size(); ++i) {
    std::string command = fact_of(*process, "command");
    if (!is_started_by_library(command)) return command;
    const std::string parent = fact_of(*process, "parent_pid");
    const auto at = std::find_if(data.processes.begin(), data.processes.end(), [&](const auto& p) {
      return p.host == process->host && std::to_string(p.pid) == parent;
    });
    if (at == data.processes.end()) break;
    process = &*at;
  }
  const std::string run = fact_of(data.processes[id], "run.command");
  return run.empty() ? fact_of(data.processes[id], "command") : run;
}

// Counts the devices at work: where nothing describes them, their work still shows how many there
// are.
std::uint32_t devices_at_work(const Trace& trace, ProcessId process) {
  std::set<std::uint32_t> devices;
  for (StreamId s = 0; s < trace.data().streams.size(); ++s) {
    const Stream& stream = trace.data().streams[s];
    if (stream.process == process && !trace.ops_of(s).empty()) devices.insert(stream.device);
  }
  return static_cast<std::uint32_t>(devices.size());
}

}  // namespace

RunFacts run_facts(const Trace& trace, const Steps& steps) {
  const TraceData& data = trace.data();
  RunFacts run;
  run.device_unseen =
      launched_in_vain(trace) || (trace.used_device() && trace.device_ops().size() == 0);
  run.path = data.path;
  run.source = name_of(data.source);
  run.processes = data.processes.size();
  run.events = trace.event_count();
  for (const Device& device : data.devices) {
    if (device.process != steps.process) continue;
    if (run.device_count++ > 0) continue;
    run.device = device.name;
    run.device_uuid = device.uuid;
  }
  if (run.device_count == 0) run.device_count = devices_at_work(trace, steps.process);
  if (steps.process >= data.processes.size()) return run;
  const Process& process = data.processes[steps.process];
  run.host = process.host;
  run.rank = process.rank;
  run.world_size = process.world_size;
  run.command = program_command(data, steps.process);
  for (const auto& [key, value] : process.facts) {
    if (is_version(key)) run.versions.emplace_back(key, value);
  }
  return run;
}

Trust judge_trust(const Trace& trace, const Steps& steps, const Attribution& attribution,
                  const PartitionSummary& partition) {
  const Health& health = trace.health();
  Trust trust;
  trust.dropped = health.dropped_records;
  trust.lost_chunks = health.lost_chunks;
  trust.zero_timestamps = health.zero_timestamps;
  trust.unknown_share = share_of(partition, is_unexplained);
  trust.overhead_ns_per_step = overhead(trace, partition);
  trust.recorder = recorder_cost(trace);
  if (health.sites_wanted > 0) {
    trust.link_rate =
        static_cast<double>(health.sites_found) / static_cast<double>(health.sites_wanted);
  }
  trust.rivals = health.rivals;
  trust.broken_invariants = attribution.broken_invariants;
  check_sums(partition, trust.broken_invariants);
  trust.over_budget = attribution.over_budget;
  trust.nothing_recorded = why_plan_never_came(trace, steps);
  if (!trace.data().processes.empty())
    trust.abstained = abstentions(trace, steps, attribution, partition);
  if (attribution.index != nullptr)
    trust.core_wait_share = core_wait_share(attribution.index->cpu, steps);
  trust.notes = notes_of(trace, steps, attribution);
  return trust;
}

}  // namespace stepscope::summary_parts
