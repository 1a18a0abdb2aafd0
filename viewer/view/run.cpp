// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/run.hpp"

#include "core/findings/replayed_findings.hpp"

namespace stepscope::viewer {

Result<Run> analyse(Trace trace, const RunOptions& options) {
  auto steps = find_steps(
      trace,
      {.marker_regex = options.step_marker, .rank = options.rank, .section = options.section});
  if (!steps) return steps.error();
  auto attribution = attribute(trace, *steps, {.phase_regex = options.phase});
  if (!attribution) return attribution.error();
  Run run{
      std::move(trace), options, std::move(*steps), std::move(*attribution), {}, {}, {}, {}, {}};
  run.summary = summarize(run.trace, run.steps, run.attribution);
  if (options.find)
    run.summary.findings = find_all_replayed(run.trace, run.steps, run.attribution, run.summary);
  run.gaps = idle_gaps(run.attribution.process);
  for (const Partition& device : run.attribution.devices)
    run.device_gaps.push_back(idle_gaps(device));
  run.samples = device_samples(run.trace, run.steps.process);
  run.ranks = compare_ranks(run.trace, options.step_marker);
  return run;
}

}  // namespace stepscope::viewer
