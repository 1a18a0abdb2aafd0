// SPDX-License-Identifier: Apache-2.0
// The whole screen, drawn once a frame from the desk; input of the frame goes to the desk.
//
//   headline and the sentence about what is seen
//   a strip a run: all steps' times, a click chooses one
//   lane headers | timeline, a pane a run, one above the other | details of the selected event
//   the whole run in small, with the span that is on screen
//   what the colours on screen mean
//   tabs: difference, what to do, who owns the time, phases, kernels, lines, ranks, marks, trust
#pragma once

#include <imgui.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/ui/theme.hpp"
#include "viewer/view/details.hpp"
#include "viewer/view/measure.hpp"
#include "viewer/view/tables/table.hpp"
#include "viewer/view/text_fit.hpp"

namespace stepscope::viewer {

// The timeline of one run on screen: the state that is no part of its session.
struct Pane {
  std::optional<Spot> hovered;
  std::optional<std::int64_t> drag_from;  // begin of a range that is being measured
  std::optional<std::int64_t> zoom_from;  // begin of a range to zoom to
  std::optional<EventRef> described;
  std::vector<Detail> details;
  std::optional<Interval> measured;
  Measurement measurement;
  std::optional<Interval> span;  // span on screen in the last frame
  double moved_at = -1;          // when that last changed, in ImGui's time
  std::vector<Spot> related;     // spots that belong to what was under the mouse in the last frame
  std::vector<float> lane_y;     // by lane, where its name begins on screen
  float scrolled = 0;            // pixels
};

// State of the screen that is no part of the desk: scroll, drags, filters, and results kept between frames.
struct Screen {
  explicit Screen(Desk& of, float pixel_scale) : desk(of), scale(pixel_scale), panes(of.sides()) {}

  Desk& desk;
  float scale;
  Theme theme = make_theme(false);
  std::vector<Pane> panes;  // by side
  std::string search;
  std::string filter;   // text of the tables' filter
  std::string palette;  // what was typed into it
  std::string tab;      // tab that is to be opened; empty: none
  std::string open_tab;
  std::string copied;      // text that was copied last
  std::vector<Box> boxes;  // boxes of the row being drawn
  std::vector<CurveColumn> columns;
  std::vector<Table> tables;
  std::uint64_t panes_of_generation = 0;
  std::uint64_t tables_of_revision = ~std::uint64_t{0};
  std::size_t tables_of_side = 0;
  std::size_t tables_of_marks = 0;
  KernelGrouping tables_of_grouping = KernelGrouping::none;
  std::uint64_t tables_made = 0;                            // how many times
  std::map<std::string, std::vector<float>> column_widths;  // by table and room
  PerCause<bool> on_screen{};    // causes on screen in the band of owners, in the last frame
  float head = 0;                // height of the headline; grows as long as `head_of` is the same
  ImVec2 head_of;                // width of the window, scale
  std::uint64_t rectangles = 0;  // number of rectangles in the last frame
  // A window draws a little less exactly while the view moves, and anew when it stands still.
  bool moves = false;

  float px(float size) const { return size * scale; }
  Pane& pane() { return panes[desk.active_side()]; }
};

void draw(Screen& screen, ImVec2 size);

// The parts of draw(), one a file; each fills the ImGui child that it is called in.
void draw_timeline(Screen& screen, std::size_t side);
void draw_steps_strip(Screen& screen, std::size_t side);
void draw_minimap(Screen& screen);
void draw_legend(const Screen& screen);
void draw_details(Screen& screen);
void draw_range(Screen& screen);
void draw_tabs(Screen& screen);
void draw_histogram(Screen& screen);
void draw_keys(Screen& screen, ImVec2 size);
void draw_palette(Screen& screen, ImVec2 size);

// A rectangle in its paint and pattern.
void draw_box(ImDrawList& list, const Theme& theme, const Paint& paint, ImVec2 from, ImVec2 to,
              float scale, bool lit = true);
float text_width(std::string_view text);
// Draws text as an item of the window, in lines as wide as there is room.
void say_wrapped(std::string_view text);
// Draws text as an item, cut to the room.
void say_cut(const std::string& text, float room);
// Text that ends with "..." where it does not fit.
void draw_text_in(ImDrawList& list, ImU32 colour, ImVec2 from, ImVec2 to, const std::string& text);

}  // namespace stepscope::viewer
