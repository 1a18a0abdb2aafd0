// SPDX-License-Identifier: Apache-2.0
// The viewer as one call: a window that stays until it is closed, or a picture.
#pragma once

#include <optional>
#include <string>

#include "core/support/interval.hpp"
#include "core/support/result.hpp"
#include "viewer/view/run.hpp"

namespace stepscope::viewer {

struct ViewOptions {
  std::string screenshot;  // path of a PNG; empty: a window
  int width = 1920;
  int height = 1080;
  bool light = false;
  std::optional<double> scale;    // of fonts and rows; by the display or the picture's height
  std::optional<Interval> range;  // offsets in ns from the trace's begin
  int close_after_frames = 0;     // of a window, for tests; 0: stays
};

Status show(const Run& run, const ViewOptions& options);

}  // namespace stepscope::viewer
