// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/attribution/device/operation_class.hpp"
#include "core/findings/all_findings.hpp"
#include "core/report/read_job.hpp"
#include "core/symbols/source_texts.hpp"

namespace stepscope::viewer {
namespace {

// Judged by its name alone, each name once.
class ClassByName {
 public:
  explicit ClassByName(const Trace& trace) : trace_(trace), ops_(trace.device_ops()) {}

  Cause of(DeviceOpId op) {
    const auto key =
        std::tuple(ops_.name[op], ops_.kind[op], ops_.copy_kind[op], ops_.source_memory[op]);
    const auto [at, is_new] = known_.try_emplace(key, Cause::gpu_other);
    if (is_new)
      at->second = classify_device_op(ops_.kind[op], ops_.copy_kind[op], ops_.source_memory[op],
                                      trace_.text(ops_.name[op]));
    return at->second;
  }

 private:
  const Trace& trace_;
  const DeviceOps& ops_;
  std::map<std::tuple<StringId, DeviceOpKind, CopyKind, MemoryKind>, Cause> known_;
};

// Those of the process whose steps these are as attribution says; those of others by their names.
std::vector<Cause> op_classes(const Trace& trace, const Attribution& attribution,
                              ProcessId process) {
  const DeviceOps& ops = trace.device_ops();
  ClassByName by_name(trace);
  std::vector<Cause> out(ops.size());
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    const bool is_own = trace.data().streams[ops.stream[op]].process == process;
    out[op] = is_own ? attribution.ops[op].cause : by_name.of(op);
  }
  return out;
}

}  // namespace

Run glance(Trace trace, const RunOptions& options) {
  Run run{false, std::move(trace), options, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  run.steps.thread = kNone;
  run.summary.steps = run.steps;
  run.attribution.phases.resize(1);
  run.attribution.ops.resize(run.trace.device_ops().size());
  ClassByName by_name(run.trace);
  for (DeviceOpId op = 0; op < run.trace.device_ops().size(); ++op) {
    run.op_classes.push_back(by_name.of(op));
    run.attribution.ops[op].cause = run.op_classes.back();
  }
  return run;
}

Result<Run> analyse(Trace trace, const RunOptions& options) {
  auto steps = find_steps(trace, {.marker_regex = options.step_marker,
                                  .rank = options.rank,
                                  .pid = options.pid,
                                  .section = options.section});
  if (!steps) return steps.error();
  auto attribution = attribute(trace, *steps, {.phase_regex = options.phase});
  if (!attribution) return attribution.error();
  Run run{true,
          std::move(trace),
          options,
          std::move(*steps),
          std::move(*attribution),
          {},
          {},
          {},
          {},
          {},
          {},
          {},
          {}};
  run.summary = summarize(run.trace, run.steps, run.attribution);
  keep_sources_of_rows(sources_of_run(run.trace.data().path), run.summary);
  if (options.find)
    run.summary.findings = find_all_replayed(run.trace, run.steps, run.attribution, run.summary);
  run.op_classes = op_classes(run.trace, run.attribution, run.steps.process);
  run.phase_stays = phase_stays(run.attribution);
  run.gaps = idle_gaps(run.attribution.process);
  for (const Partition& device : run.attribution.devices)
    run.device_gaps.push_back(idle_gaps(device));
  run.samples = device_samples(run.trace, run.steps.process);
  run.ranks = compare_ranks(run.trace, options.step_marker);
  run.job = options.job == nullptr && options.find ? job_of(run) : options.job;
  return run;
}

std::shared_ptr<const Summary> job_of(const Run& run) {
  if (run.ranks.rows.size() < 2) return nullptr;
  const RunOptions& options = run.options;
  std::string why_not;
  auto job =
      read_job(run.trace, {options.step_marker, options.phase, options.section, {}, true}, why_not);
  return job ? std::make_shared<const Summary>(std::move(*job)) : nullptr;
}

const JobRank* job_rank(const Run& run, std::int32_t rank) {
  if (run.job == nullptr || !run.job->job || run.job->job->collectives == 0) return nullptr;
  const auto at = std::ranges::find(run.job->job->ranks, rank, &JobRank::rank);
  return at == run.job->job->ranks.end() ? nullptr : &*at;
}

std::string rank_note(const Run& run, std::uint32_t row) {
  if (const JobRank* rank = job_rank(run, run.ranks.rows[row].rank))
    return rank->is_late ? fmt::format("late: {}", name_of(late_by(*rank))) : "";
  if (row == run.ranks.slowest) return "slowest";
  return row == run.ranks.median ? "median" : "";
}

}  // namespace stepscope::viewer
