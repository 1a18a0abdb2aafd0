// SPDX-License-Identifier: Apache-2.0
// A real small trace with everything that is exported from it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "core/exporters/exported.hpp"
#include "core/importers/load.hpp"
#include "tests/core/store/scratch.hpp"

namespace stepscope {

struct ExportedRun {
  Trace trace =
      load(STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz").value();
  Steps steps = find_steps(trace).value();
  Attribution attribution = attribute(trace, steps).value();
  Scratch scratch;
  std::string path = scratch / "out.json";

  Exported run() const { return {trace, steps, attribution}; }

  using Write = Status (*)(const Exported&, const ExportOptions&, const std::string&,
                           const Progress&);
  std::string written_by(Write write, const ExportOptions& options = {}) const {
    const Status status = write(run(), options, path, {});
    EXPECT_TRUE(status.ok()) << status.error().message;
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

}  // namespace stepscope
