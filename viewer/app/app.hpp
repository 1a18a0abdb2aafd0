// SPDX-License-Identifier: Apache-2.0
// The viewer as one call: a window that stays until it is closed, or a picture. A window takes runs
// as glance() gives them, too, and analyses them while they are shown.
#pragma once

#include <optional>
#include <string>

#include "core/support/interval.hpp"
#include "core/support/result.hpp"
#include "viewer/view/desk.hpp"

namespace stepscope::viewer {

struct ViewOptions {
  std::string screenshot;  // path of a PNG; empty: a window
  int width = 1920;
  int height = 1080;
  bool light = false;
  // Scale of fonts and rows; nothing: by the display or the picture's height.
  std::optional<double> scale;
  std::optional<Interval> range;  // offsets in ns from the trace's begin
  std::string tab;                // to open below: "Difference", "What to do"; empty: the first
  std::string search;             // lights what matches, and opens the histogram of a kernel
  bool anyway = false;            // two runs that cannot be compared: their difference all the same
  bool keep_state = true;         // a window keeps marks, pins and settings (viewer/view/desk.hpp)
  int close_after_frames = 0;     // for tests: a window closes after so many frames; 0: it stays
};

// One run, or two beside each other.
Status show(const Desk::Runs& runs, const ViewOptions& options);

// Applies the command line's options to a desk: a span, a search, a table.

// Applies theme, step and span to a desk that is shown for the first time.
void apply_view_options(Desk& desk, const ViewOptions& options);
// Highlights what matches the search and opens a kernel's histogram; the latter needs analysed
// runs.
void apply_search(Desk& desk, const ViewOptions& options);
// Whether analysed runs have the table.
Status check_tab(const Desk& desk, const std::string& tab);

// Errors: usage, where the range to show begins behind the trace's end.
Status check_range(const Run& run, const ViewOptions& options);

}  // namespace stepscope::viewer
