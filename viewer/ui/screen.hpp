// SPDX-License-Identifier: Apache-2.0
// The whole screen, drawn once a frame from the session; input of the frame goes to the session.
//
//   headline and the sentence about what is seen
//   steps strip: all steps' times, a click chooses one
//   lane headers | timeline | details of the selected event
//   tabs: who owns the time, phases, kernels, lines, trust
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "viewer/ui/theme.hpp"
#include "viewer/view/details.hpp"
#include "viewer/view/measure.hpp"
#include "viewer/view/session.hpp"

namespace stepscope::viewer {

// What is on screen but no part of the session: scroll, drags, filters, and results kept between
// frames.
struct Screen {
  explicit Screen(Session& of, float pixel_scale) : session(of), scale(pixel_scale) {}

  Session& session;
  float scale;
  Theme theme = make_theme(false);
  std::optional<Spot> hovered;
  std::optional<std::int64_t> drag_from;  // of a measured range
  std::string search;
  std::string kernel_filter;
  std::vector<Box> boxes;  // of the row being drawn
  std::optional<EventRef> described;
  std::vector<Detail> details;
  std::optional<Interval> measured;
  Measurement measurement;
  std::vector<ImVec2> selected_at;  // where the selection and what it leads to were drawn
  std::uint64_t rectangles = 0;     // of the last frame

  float px(float size) const { return size * scale; }
};

void draw(Screen& screen, ImVec2 size);

// The parts of draw(), one a file; each fills the ImGui child that it is called in.
void draw_timeline(Screen& screen);
void draw_steps_strip(Screen& screen);
void draw_details(Screen& screen);
void draw_tabs(Screen& screen);
void draw_keys(Screen& screen, ImVec2 size);

// A rectangle in its paint and pattern.
void draw_box(ImDrawList& list, const Theme& theme, const Paint& paint, ImVec2 from, ImVec2 to,
              float scale, bool lit = true);
// Text that ends with "..." where it does not fit.
void draw_text_in(ImDrawList& list, ImU32 colour, ImVec2 from, ImVec2 to, const std::string& text);

}  // namespace stepscope::viewer
