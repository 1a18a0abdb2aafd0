// SPDX-License-Identifier: Apache-2.0
// The parts of summarize(), one a source file. Internal to core/summary.
#pragma once

#include "core/attribution/host/thread_cpu.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::summary_parts {

// The steps that the sums are over, and the time that they cover.
struct Counting {
  std::vector<std::uint32_t> rows;  // rows of Steps::list
  std::vector<bool> counts;         // by row
  IntervalSet windows;
  std::string why;  // empty: two or more steady steps

  bool covers(std::int64_t t) const;
};

// How much of an interval is counted. The intervals are asked for in order of their begins.
class CountedTime {
 public:
  explicit CountedTime(const Counting& counting)
      : window_(counting.windows.begin()), end_(counting.windows.end()) {}
  std::int64_t of(Interval time);

 private:
  IntervalSet::const_iterator window_;
  IntervalSet::const_iterator end_;
};

Counting choose_steps(const Steps& steps);
Counting counting_of(const Steps& steps, std::vector<std::uint32_t> rows);

LongSteps sum_long_steps(const Trace& trace, const Steps& steps, const Partition& partition,
                         const std::vector<std::uint32_t>& rows);
// A trimmed view: keeps the counted steps of the range alone.
void keep_only(const Steps& steps, const StepRange& range, Counting& counting);
// Another one: takes the long steps from what is counted, where there are any.
void leave_out(const Steps& steps, LongSteps& long_steps, Counting& counting);

PartitionSummary sum_partition(const Partition& partition, const Steps& steps,
                               const Counting& counting);

// Sets bound, why_bound, inflated, plain and corrected step. Rule: bound.cpp. `lost`: how much device
// work the trace lacks, as a multiple of what it has.
void judge_bound(PartitionSummary& summary, bool inflated,
                 std::optional<std::int64_t> plain_step_ns, double lost = 0);
// Read off the kernel launches of counted steps, in traces of other tools.
double lost_device_work(const Trace& trace, const Steps& steps, const Counting& counting);
// The step time without recording, where the run measured it: the sums' own over the ratio, at
// least the device's work. `left` counts where its interval says that something is left.
void correct_step(PartitionSummary& summary, const Overhead& overhead,
                  const std::optional<Overhead>& left);

// False where kernels of a stream, those of graphs aside, run beside each other for much of their time.
bool device_times_can_be(const Trace& trace);
// No verdict: the device's times are wrong.
void leave_open(PartitionSummary& summary);

// Ids of host ranges and device ops in one number.
constexpr std::uint64_t kDeviceBit = std::uint64_t{1} << 32U;
constexpr std::uint64_t kNoEvent = kDeviceBit | kNone;

// A phase's own name; "(no phase)" for the root.
std::string phase_name(const std::vector<Phase>& phases, PhaseId phase);
// "forward/topk" for each phase.
std::vector<std::string> phase_paths(const std::vector<Phase>& phases);

std::vector<PhaseRow> phase_rows(const Trace& trace, const Steps& steps,
                                 const Attribution& attribution, const Counting& counting);
std::vector<CellRow> cell_rows(const Trace& trace, const Attribution& attribution,
                               const Counting& counting);
std::vector<LineRow> line_rows(const Trace& trace, const Partition& partition,
                               const Counting& counting);
std::vector<KernelRow> kernel_rows(const Trace& trace, const Steps& steps,
                                   const Attribution& attribution, const Counting& counting);

std::vector<TransferRow> transfer_rows(const Trace& trace, const Steps& steps,
                                       const Attribution& attribution, const Counting& counting);

// Notes which traces of other tools are pieces of a run.
void note_cuts(const Trace& trace, const Steps& steps, std::vector<std::string>& notes);

// What the host was inside in the time that has no explanation, where that is more than 1 %.
void note_unknown(const Trace& trace, const Steps& steps, const Attribution& attribution,
                  const Counting& counting, std::vector<std::string>& notes);

// Graph work without its capture, and graph launches whose work is missing.
void note_graphs(const Trace& trace, const Steps& steps, const GraphWork& graphs,
                 std::vector<std::string>& notes);

// Returns the share of the loop's time behind its first step in which its thread was ready to run
// and had no core; nothing where samples cover too little of it.
std::optional<double> core_wait_share(const ThreadCpu& cpu, const Steps& steps);
// Notes which workers of a loader the sampler saw, and what it could not see.
void note_samples(const Trace& trace, const Steps& steps, const LoaderWait& loader,
                  std::vector<std::string>& notes);

LineShare share_with_lines(const Trace& trace, const Steps& steps, const Partition& partition,
                           const Counting& counting);
RunFacts run_facts(const Trace& trace, const Steps& steps);
Trust judge_trust(const Trace& trace, const Steps& steps, const Attribution& attribution,
                  const PartitionSummary& partition);

}  // namespace stepscope::summary_parts
