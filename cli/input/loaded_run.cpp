// SPDX-License-Identifier: Apache-2.0
#include "cli/input/loaded_run.hpp"

#include "core/importers/load.hpp"
#include "core/symbols/source_texts.hpp"

namespace stepscope {

Result<LoadedRun> read_run(Trace trace, const std::string& path, const ReadOptions& options) {
  Result<Steps> steps = find_steps(trace, {.marker_regex = options.step_marker,
                                           .rank = options.rank,
                                           .pid = options.pid,
                                           .section = options.section});
  if (!steps) return steps.error();
  auto attribution = attribute(trace, *steps, {.phase_regex = options.phase});
  if (!attribution) return attribution.error();
  Summary summary = summarize(trace, *steps, *attribution, options.summary);
  keep_sources_of_rows(sources_of_run(path), summary);
  return LoadedRun{std::move(trace), std::move(*steps), std::move(*attribution),
                   std::move(summary)};
}

Result<LoadedRun> load_run(const std::string& path, const ReadOptions& options,
                           const Progress& progress) {
  recover_run(path);
  Result<Trace> trace = load(path, progress);
  if (!trace) return trace.error();
  return read_run(std::move(*trace), path, options);
}

}  // namespace stepscope
