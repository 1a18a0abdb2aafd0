// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/run.hpp"

#include <map>
#include <tuple>

#include "core/attribution/device/operation_class.hpp"
#include "core/findings/replayed_findings.hpp"

namespace stepscope::viewer {
namespace {

// Those of the process whose steps these are as attribution says; those of others by their names
// alone, each name judged once.
std::vector<Cause> op_classes(const Trace& trace, const Attribution& attribution,
                              ProcessId process) {
  const DeviceOps& ops = trace.device_ops();
  std::map<std::tuple<StringId, DeviceOpKind, CopyKind, MemoryKind>, Cause> known;
  std::vector<Cause> out(ops.size());
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    out[op] = attribution.ops[op].cause;
    if (trace.data().streams[ops.stream[op]].process == process) continue;
    const auto key =
        std::tuple(ops.name[op], ops.kind[op], ops.copy_kind[op], ops.source_memory[op]);
    const auto [at, is_new] = known.try_emplace(key, Cause::gpu_other);
    if (is_new)
      at->second = classify_device_op(ops.kind[op], ops.copy_kind[op], ops.source_memory[op],
                                      trace.text(ops.name[op]));
    out[op] = at->second;
  }
  return out;
}

}  // namespace

Result<Run> analyse(Trace trace, const RunOptions& options) {
  auto steps = find_steps(
      trace,
      {.marker_regex = options.step_marker, .rank = options.rank, .section = options.section});
  if (!steps) return steps.error();
  auto attribution = attribute(trace, *steps, {.phase_regex = options.phase});
  if (!attribution) return attribution.error();
  Run run{std::move(trace),
          options,
          std::move(*steps),
          std::move(*attribution),
          {},
          {},
          {},
          {},
          {},
          {}};
  run.summary = summarize(run.trace, run.steps, run.attribution);
  if (options.find)
    run.summary.findings = find_all_replayed(run.trace, run.steps, run.attribution, run.summary);
  run.op_classes = op_classes(run.trace, run.attribution, run.steps.process);
  run.gaps = idle_gaps(run.attribution.process);
  for (const Partition& device : run.attribution.devices)
    run.device_gaps.push_back(idle_gaps(device));
  run.samples = device_samples(run.trace, run.steps.process);
  run.ranks = compare_ranks(run.trace, options.step_marker);
  return run;
}

}  // namespace stepscope::viewer
