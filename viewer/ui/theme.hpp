// SPDX-License-Identifier: Apache-2.0
// Colours, light and dark. Colour-blind readers can distinguish the hues (after Okabe-Ito and Tol);
// the pattern is the second cue: the owner of the time is also shown by hatching.
#pragma once

#include <imgui.h>

#include "viewer/view/event.hpp"

namespace stepscope::viewer {

enum class Pattern : std::uint8_t {
  solid,  // the device works
  lines,  // it idles although work was issued
  hatch,  // the host decides
  cross,  // no evidence
};

struct Paint {
  ImU32 fill = 0;
  ImU32 text = 0;
  Pattern pattern = Pattern::solid;
};

struct Theme {
  bool light = false;
  ImU32 background, lane, lane_other, panel, grid, text, dim, accent, selection, hatch, mark,
      mark_text, tab;

  Paint paint(const Look& look) const;
  Paint paint(Cause cause) const;
};

Theme make_theme(bool light);
// Sizes and colours of ImGui's own widgets.
void apply_style(const Theme& theme, float scale);

}  // namespace stepscope::viewer
