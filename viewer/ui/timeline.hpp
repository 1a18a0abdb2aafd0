// SPDX-License-Identifier: Apache-2.0
// One run's ruler and lanes while a frame draws them. Made anew each frame; what lasts is the
// session's, or the pane's. Each concept has a file: timeline (ruler, lanes), lane_header,
// timeline_events, timeline_overlays, timeline_mouse.
//
// Heights named in constants are in unscaled pixels. The run's rows are asked for columns of one
// unscaled pixel: on a dense display the least event is as wide as on any other.
#pragma once

#include "viewer/lod/ticks.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {

class Timeline {
 public:
  Timeline(Screen& screen, std::size_t side);
  void draw();

 private:
  float px(float size) const { return screen_.px(size); }
  float line_width() const { return std::max(1.0F, px(1)); }
  int columns() const { return static_cast<int>(width_ / line_width()); }
  float x_of(std::int64_t t) const;
  std::int64_t time_at(float x) const;
  double ns_per_pixel() const;
  Precision precision() const;
  std::int64_t zero() const { return screen_.desk.zero(side_); }
  bool is_over(float top, float bottom) const;  // the mouse, right of the lanes' names

  void ruler();
  void grid(float top, float bottom);
  void lanes();
  float group_title(const std::string& name, float y);
  float lane_at(std::uint32_t index, float y);
  float resting_line(const std::vector<std::uint32_t>& lanes, float y);

  bool is_over_name(float top, float bottom) const;
  void name_box(float top, float bottom, const std::string& title, const std::string& note);
  void header(std::uint32_t index, float top, float bottom);
  void resting_header(const std::vector<std::uint32_t>& lanes, float top, float bottom);
  void pin(std::uint32_t index, ImVec2 at);
  void hide(ImVec2 at);

  void draw_curve(const Lane& lane, float top, float bottom);
  void draw_row(std::uint32_t lane_index, std::uint32_t row_index, float top, float bottom);
  void draw_column(const Box& box, ImVec2 from, ImVec2 to, bool lit);
  bool has_label(const Box& box, float height) const;
  SideBySide labels_of(const Lane& lane, std::uint32_t row, float height) const;
  void draw_event(EventRef event, const Box& box, ImVec2 from, ImVec2 to, const SideBySide& beside);
  void hover(Spot spot, const Box& box);

  std::vector<Spot> linked_spots(std::optional<EventRef> event) const;
  void frame_of(Spot spot, float top, float bottom, ImU32 colour, float width);
  void outline(std::uint32_t lane, std::uint32_t row, float top, float bottom);
  void links();
  void measured_range();
  void marks();

  std::int64_t snapped(std::int64_t t) const;
  void mouse();
  void wheel(const ImGuiIO& io);
  void pan(const ImGuiIO& io, bool inside);
  void middle_button(const ImGuiIO& io, bool inside);
  void left_button(const ImGuiIO& io, bool inside);

  Screen& screen_;
  Pane& pane_;
  std::size_t side_;
  Session& session_;
  ImDrawList& list_;
  ImDrawList* lanes_list_ = nullptr;
  ImVec2 origin_;
  ImVec2 size_;
  float left_ = 0;
  float width_ = 0;
  float view_top_ = 0;
  float view_bottom_ = 0;
  Ticks marks_;
  std::vector<Spot> linked_;  // to the selection
  struct Drawn {
    float x, top, bottom;
  };
  std::optional<Drawn> selected_at_;
  std::vector<Drawn> linked_at_;
};

}  // namespace stepscope::viewer
