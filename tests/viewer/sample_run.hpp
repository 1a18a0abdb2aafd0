// SPDX-License-Identifier: Apache-2.0
// A real trace of the tree, read and attributed once a program.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "core/importers/load.hpp"
#include "viewer/view/desk.hpp"

namespace stepscope::viewer {

inline Run load_run(const std::string& path) {
  const auto trace = load(path);
  if (!trace) throw std::runtime_error(trace.error().message);
  auto run = analyse(*trace);
  if (!run) throw std::runtime_error(run.error().message);
  run->summary.run.path = std::filesystem::path(path).filename();  // pictures show it
  return std::move(*run);
}

inline std::shared_ptr<const Run> sample(const char* name) {
  static std::map<std::string, std::shared_ptr<const Run>> runs;
  std::shared_ptr<const Run>& run = runs[name];
  if (run == nullptr)
    run = std::make_shared<const Run>(
        load_run(std::string(STEPSCOPE_SOURCE_DIR "/tests/data/kineto/") + name));
  return run;
}

inline std::shared_ptr<const Run> slow_run() {
  return sample("sync_mask_norms.bad.json.gz");
}
inline std::shared_ptr<const Run> fast_run() {
  return sample("sync_mask_norms.fixed.json.gz");
}
inline const Run& sample_run() {
  return *fast_run();
}

}  // namespace stepscope::viewer
