// SPDX-License-Identifier: Apache-2.0
// Everything that a report says, as plain structs: reports/* only format it.
//
// Sums that must be exact are integers over `steps_counted` steps (`_ns_total`); per-step values
// are derived from them by division and are decimals. Shares are 0..1 of partition.wall_ns_total.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "core/device_health/device_health.hpp"
#include "core/model/source_text.hpp"
#include "core/summary/finding.hpp"
#include "core/summary/job/job_facts.hpp"
#include "core/summary/long_steps.hpp"
#include "core/summary/rows/line_share.hpp"
#include "core/summary/throughput.hpp"
#include "core/summary/trust/overhead.hpp"
#include "core/summary/work_counts.hpp"

namespace stepscope {

enum class Bound : std::uint8_t { device, host, mixed, not_judged };
std::string_view name_of(Bound bound);

struct RunFacts {
  std::string path;
  std::string source;  // "stepscope", "kineto", "nsys"
  std::string command;
  std::string host;
  std::string device;       // name of device 0, empty on a machine without a GPU
  std::string device_uuid;  // its serial identity, where it is known
  std::uint32_t device_count = 0;
  bool device_unseen = false;  // the program used a device, and its work was not recorded
  std::int32_t rank = -1;
  std::int32_t world_size = -1;
  std::uint64_t processes = 0;
  std::uint64_t events = 0;
  std::vector<std::pair<std::string, std::string>>
      versions;  // "python" "3.11.7", "torch" "2.11.0", ...
};

struct PartSum {
  Cause cause = Cause::unknown;
  std::int64_t ns_total = 0;
};

// Sums over the counted steps: all after warm-up that were recorded whole (fewer: see
// Summary::counting and LongSteps::left_out).
struct PartitionSummary {
  std::optional<std::uint32_t> device;  // absent: the process, any of its devices busy
  std::uint64_t steps_counted = 0;
  std::int64_t wall_ns_total = 0;  // == sum of parts
  std::int64_t p50_ns = 0;
  std::int64_t p90_ns = 0;
  std::int64_t device_busy_ns_total = 0;
  // Share of device busy in which the next op was issued before this one ended.
  double queued_share = 0;
  std::int64_t host_wait_ns_total =
      0;  // device idle for want of work: the most a perfect host saves
  Bound bound = Bound::not_judged;
  std::string why_bound;  // one sentence
  bool inflated = false;
  std::optional<std::int64_t> plain_step_ns;      // given by the user or measured by windows
  std::optional<std::int64_t> corrected_step_ns;  // estimate of the untraced step
  std::vector<PartSum> parts;                     // largest first; causes with 0 left out

  double wall_ns_per_step() const {
    return steps_counted ? static_cast<double>(wall_ns_total) / static_cast<double>(steps_counted)
                         : 0;
  }
};

struct PhaseRow {
  std::string name;
  std::string parent;  // empty for outermost
  std::string path;    // "forward/topk": unique, and what cells refer to
  std::uint32_t depth = 0;
  std::int64_t wall_ns_total = 0;      // with its inner phases: outermost rows sum to the wall
  std::int64_t gpu_busy_ns_total = 0;  // device ops launched in it, overlaps counted once
  std::int64_t exposed_ns_total = 0;   // wall it owns in which no compute runs
  std::uint64_t bytes_total = 0;       // copies and sets
  std::uint64_t calls_total = 0;       // how often the phase was entered
  std::uint64_t steps_in = 0;          // counted steps in which it ran
  double every_steps = 1;              // 1: each step; 1000: once in 1000 steps
};

struct CellRow {
  Cause cause = Cause::unknown;
  std::string phase;  // innermost
  std::string phase_path;
  std::string file;  // empty: no line
  std::uint32_t line = 0;
  std::optional<std::uint32_t> device;  // absent: the process's partition
  std::int64_t ns_total = 0;
  std::string function;   // the function that the line is in
  std::string operation;  // kernel, call or range that owns the time: rows/operation_rows.hpp
  std::uint64_t calls_total = 0;  // events that own part of it
  Direction direction = Direction::none;
};

struct LineRow {
  std::string file;
  std::uint32_t line = 0;
  SiteKind kind = SiteKind::call;
  std::string function;
  Cause cause = Cause::unknown;
  std::int64_t ns_total = 0;
  std::uint64_t calls_total = 0;  // events that own part of it
  std::vector<std::string>
      evidence;  // up to 3 of them, longest first: "h12" host range, "d34" device op
  Direction direction = Direction::none;
};

struct KernelRow {
  std::string name;
  Cause cause = Cause::gpu_other;  // its class
  std::string phase;
  std::uint64_t calls_total = 0;
  std::int64_t ns_total = 0;               // device time, overlaps counted twice
  std::uint64_t bytes_total = 0;           // moved by copies and sets
  std::optional<double> bytes_per_second;  // over the device time of those that say their bytes
};

struct TransferRow {               // communication calls that said what they send
  std::string operation;           // "AllReduce"; "Recv+Send" for a group of both
  std::uint64_t communicator = 0;  // the library's hash of it; 0: a group over several
  std::string reduce;              // "sum"; empty: nothing is reduced
  std::string phase;
  std::uint64_t calls_total = 0;
  std::uint64_t bytes_total = 0;  // as the calls were given them
  std::int64_t ns_total = 0;      // device time of their kernels, overlaps counted twice
  // The part of it that waited for other ranks to enter; and the rank that was waited for longest,
  // with its part. -1: none was, or it is not known (collectives.hpp).
  std::int64_t late_ns_total = 0;
  std::int32_t latest_rank = -1;
  std::int64_t latest_rank_ns_total = 0;

  // Algorithm bandwidth; waiting for late ranks is in the time.
  double bytes_per_second() const {
    return ns_total > 0 ? 1e9 * static_cast<double>(bytes_total) / static_cast<double>(ns_total)
                        : 0;
  }
};

struct Abstention {
  std::string id;  // cause that cannot be seen
  std::string reason;
};

// CPU time of the recorder's own threads, in all processes.
struct RecorderCost {
  double core_share = 0;           // share of the longest process's life; 1: one core all the time
  double ns_per_event = 0;         // CPU time of the thread that writes the file
  double decode_ns_per_event = 0;  // the part of it that reads rings and device records into rows
};

struct Trust {
  std::uint64_t dropped = 0;
  std::uint64_t lost_chunks = 0;  // parts of the recording that were damaged or cut off
  std::uint64_t zero_timestamps = 0;
  double unknown_share = 0;                    // unknown + host.other
  std::optional<double> overhead_ns_per_step;  // measured, absent where nothing measured it
  std::optional<Overhead> overhead;            // by windows of the run itself
  std::optional<Overhead> left;                // on steps that were not recorded
  std::optional<RecorderCost> recorder;        // beside the program
  std::optional<double> link_rate;  // calls with a line / calls at which one was asked for
  LineShare lines;  // the parts of the counted wall time with and without a source line
  // Share of the loop's time in which its thread was ready to run and others had the cores.
  std::optional<double> core_wait_share;
  std::vector<std::string> rivals;
  std::vector<std::string> broken_invariants;
  std::vector<std::string> over_budget;  // more than 1 % of the wall unexplained
  std::string nothing_recorded;          // why the plan's time never came
  std::vector<Abstention> abstained;
  std::vector<std::string> notes;
};

// In a job (`job` is there) a step is one rank's: steps_counted is ranks times the job's steps, and
// all sums are over all ranks, but for `steps` and what is read off its windows, which are the
// first rank's.
struct Summary {
  RunFacts run;
  std::optional<JobFacts> job;  // several ranks together; absent: one rank's view
  Steps steps;
  // For each step of steps.list, its parts in ns (all causes; sums to its wall).
  std::vector<PerCause<std::int64_t>> step_parts;
  std::vector<std::uint32_t> counted;  // rows of steps.list that the sums are over
  std::string counting;                // one sentence where these are not two or more steady steps
  LongSteps long_steps;
  PartitionSummary partition;
  std::vector<PartitionSummary> devices;    // one a device where there are several
  std::vector<PhaseRow> phases;             // parents before children, largest first
  std::vector<CellRow> cells;               // the one exact table: cells.cpp
  std::vector<WorkCount> counts;            // kernels, launches, waits, copies of the counted steps
  std::vector<LineRow> lines;               // largest first
  std::vector<KernelRow> kernels;           // largest first
  std::vector<TransferRow> transfers;       // largest first
  std::vector<DeviceHealth> device_health;  // by device; empty where nothing was sampled
  std::optional<Throughput> throughput;     // where its FLOPs were given, and steps were found
  std::vector<SourceText> sources;  // texts of lines in cells and counts, if the run kept them
  Trust trust;
  std::optional<Findings> findings;  // set by whoever called find_all; absent: nobody looked
};

// Ids of steps, as the report names them; both ends are in it.
struct StepRange {
  std::int64_t first = 0, last = 0;
};

struct SummaryOptions {
  std::optional<std::int64_t> plain_step_ns;  // --plain-step
  std::optional<FlopOptions> flops;           // --flops-per-step, --peak-tflops
  bool without_long_steps = false;      // --without-long-steps: a trimmed view, said to be one
  std::optional<StepRange> only_steps;  // --steps: the same
};

// Sets `sources`: of all that a run kept, the files and lines that are in `cells` and `counts`.
void keep_sources_of_rows(std::vector<SourceText> all, Summary& summary);

Summary summarize(const Trace& trace, const Steps& steps, const Attribution& attribution,
                  const SummaryOptions& options = {});

}  // namespace stepscope
