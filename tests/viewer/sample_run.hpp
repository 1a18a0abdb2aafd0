// SPDX-License-Identifier: Apache-2.0
// A real trace of the tree, read and attributed once a program.
#pragma once

#include <filesystem>
#include <stdexcept>

#include "core/importers/load.hpp"
#include "viewer/view/run.hpp"

namespace stepscope::viewer {

inline Run load_run(const std::string& path) {
  const auto trace = load(path);
  if (!trace) throw std::runtime_error(trace.error().message);
  const auto steps = find_steps(*trace);
  const auto attribution = attribute(*trace, *steps);
  Run run{*trace, *steps, *attribution, summarize(*trace, *steps, *attribution)};
  run.summary.run.path = std::filesystem::path(path).filename();  // pictures show it
  return run;
}

inline const Run& sample_run() {
  static const Run run =
      load_run(STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz");
  return run;
}

}  // namespace stepscope::viewer
