// SPDX-License-Identifier: Apache-2.0
// Ruler and lanes, from top to bottom.
#include "viewer/ui/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/view/details.hpp"

namespace stepscope::viewer {
namespace {

constexpr float kHeader = 210;
constexpr float kRuler = 24;
constexpr float kGroup = 22;
constexpr float kGap = 4;
constexpr float kCollapsedRow = 4;
constexpr float kTickRoom = 110;
constexpr float kRestingLine = 18;
constexpr float kLeastStrip = 2;
constexpr double kSettled = 0.2;  // seconds after the last move

float row_height(LaneKind kind) {
  switch (kind) {
    case LaneKind::owners:
      return 30;
    case LaneKind::counter:
      return 32;
    case LaneKind::steps:
    case LaneKind::kernels:
      return 22;
    case LaneKind::copies:
    case LaneKind::waits:
      return 16;
    default:
      return 18;
  }
}

const std::string kPinned = "Pinned";

}  // namespace

Timeline::Timeline(Screen& screen, std::size_t side)
    : screen_(screen),
      pane_(screen.panes[side]),
      side_(side),
      session_(screen.desk.side(side)),
      list_(*ImGui::GetWindowDrawList()) {
  origin_ = ImGui::GetCursorScreenPos();
  size_ = ImGui::GetContentRegionAvail();
  left_ = origin_.x + px(kHeader);
  width_ = std::max(50.0F, size_.x - px(kHeader));
  linked_ = linked_spots(session_.selected_event());
  if (pane_.span && *pane_.span != session_.viewport().span()) pane_.moved_at = ImGui::GetTime();
  pane_.span = session_.viewport().span();
  pane_.related.clear();
  if (pane_.hovered) pane_.related = linked_spots(session_.event_at(*pane_.hovered));
}

Precision Timeline::precision() const {
  const bool moves = screen_.moves && ImGui::GetTime() - pane_.moved_at < kSettled;
  return moves ? Precision::moving : Precision::still;
}

float Timeline::x_of(std::int64_t t) const {
  const double x = session_.viewport().x_of(t, static_cast<double>(width_));
  return left_ + static_cast<float>(std::clamp(x, -10.0, static_cast<double>(width_) + 10.0));
}

std::int64_t Timeline::time_at(float x) const {
  return session_.viewport().time_at(static_cast<double>(x - left_), static_cast<double>(width_));
}

double Timeline::ns_per_pixel() const {
  return static_cast<double>(session_.viewport().span().length()) / static_cast<double>(width_);
}

bool Timeline::is_over(float top, float bottom) const {
  const ImVec2 mouse = ImGui::GetMousePos();
  return ImGui::IsWindowHovered() && mouse.x >= left_ && mouse.y >= top && mouse.y < bottom;
}

void Timeline::draw() {
  pane_.hovered.reset();
  ruler();
  ImGui::SetCursorScreenPos({origin_.x, origin_.y + px(kRuler)});
  ImGui::BeginChild("lanes", {size_.x, size_.y - px(kRuler)}, false,
                    ImGuiWindowFlags_NoScrollWithMouse);
  lanes_list_ = ImGui::GetWindowDrawList();
  lanes();
  mouse();
  pane_.scrolled = ImGui::GetScrollY();
  ImGui::EndChild();
}

void Timeline::ruler() {
  const Theme& theme = screen_.theme;
  const Interval span = session_.viewport().span();
  list_.AddRectFilled(origin_, {origin_.x + size_.x, origin_.y + px(kRuler)}, theme.panel);
  const bool two = screen_.desk.sides() == 2;
  const std::string name = two ? (side_ == 0 ? "A  " : "B  ") : "";
  const bool active = two && screen_.desk.active_side() == side_;
  draw_text_in(list_, active ? theme.accent : theme.dim, {origin_.x + px(8), origin_.y + px(4)},
               {left_ - px(4), origin_.y + px(kRuler)},
               name + "from " + screen_.desk.zero_text(side_));
  list_.PushClipRect({left_, origin_.y}, {left_ + width_, origin_.y + size_.y}, true);
  marks_ = ticks(span, zero(), static_cast<int>(width_ / px(kTickRoom)));
  for (const std::int64_t t : marks_.at) {
    const float x = x_of(t);
    list_.AddLine({x, origin_.y + px(16)}, {x, origin_.y + px(kRuler)}, theme.dim, line_width());
    const std::string label = tick_label(t - zero(), marks_.step_ns, span.length());
    const float end = x + px(4) + ImGui::CalcTextSize(label.c_str()).x;
    if (end <= left_ + width_)
      list_.AddText({x + px(4), origin_.y + px(4)}, theme.text, label.c_str());
  }
  list_.PopClipRect();
}

void Timeline::grid(float top, float bottom) {
  for (const std::int64_t t : marks_.at)
    lanes_list_->AddLine({x_of(t), top}, {x_of(t), bottom}, screen_.theme.grid, line_width());
}

void Timeline::lanes() {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  view_top_ = ImGui::GetWindowPos().y;
  view_bottom_ = view_top_ + ImGui::GetWindowHeight();
  grid(view_top_, view_bottom_);
  float y = corner.y;
  pane_.lane_y.assign(session_.lanes().size(), 0);
  std::string group;
  for (const std::vector<std::uint32_t>& line : session_.shown_lines()) {
    const std::uint32_t first = line.front();
    const std::string& own = session_.pinned[first] ? kPinned : session_.lanes()[first].group;
    if (group != own) y = group_title(own, y);
    group = own;
    if (session_.wanted_lane == first) {
      ImGui::SetScrollY(y - corner.y);
      session_.wanted_lane.reset();
    }
    for (const std::uint32_t lane : line) pane_.lane_y[lane] = y;
    y = line.size() == 1 ? lane_at(first, y) : resting_line(line, y);
  }
  if (session_.hidden_lanes() > 0)
    y = group_title(fmt::format("{} lanes are hidden: X shows them", session_.hidden_lanes()), y);
  ImGui::SetCursorScreenPos({corner.x, y});
  ImGui::Dummy({1, px(8)});
  measured_range();
  marks();
  links();
}

float Timeline::group_title(const std::string& name, float y) {
  const float bottom = y + px(kGroup);
  lanes_list_->AddRectFilled({origin_.x, y}, {origin_.x + size_.x, bottom}, screen_.theme.panel);
  lanes_list_->AddText({origin_.x + px(8), y + px(3)}, screen_.theme.accent, name.c_str());
  return bottom;
}

float Timeline::lane_at(std::uint32_t index, float y) {
  const Lane& lane = session_.lanes()[index];
  const bool collapsed = session_.collapsed[index];
  const float height = px(collapsed ? kCollapsedRow : row_height(lane.kind));
  const std::size_t rows = lane.kind == LaneKind::counter ? 1 : lane.rows.size();
  const float content = height * static_cast<float>(rows);
  const float bottom = y + std::max(content, px(18)) + px(kGap);
  if (bottom < view_top_ || y > view_bottom_) return bottom;
  if (index % 2 == 1)
    lanes_list_->AddRectFilled({left_, y}, {left_ + width_, bottom}, screen_.theme.lane);
  header(index, y, bottom);
  lanes_list_->PushClipRect({left_, std::max(y, view_top_)},
                            {left_ + width_, std::min(bottom, view_bottom_)}, true);
  if (lane.kind == LaneKind::counter) draw_curve(lane, y + px(kGap) / 2, bottom - px(kGap) / 2);
  for (std::uint32_t row = 0; row < lane.rows.size(); ++row) {
    const float top = y + px(kGap) / 2 + height * static_cast<float>(row);
    if (top > view_bottom_ || top + height < view_top_) continue;
    draw_row(index, row, top, top + height - (collapsed ? 0 : px(1)));
  }
  lanes_list_->PopClipRect();
  return bottom;
}

// A thin strip for each of them, in which what it does in other steps is seen.
float Timeline::resting_line(const std::vector<std::uint32_t>& lanes, float y) {
  const auto count = static_cast<float>(lanes.size());
  const float strip = std::max(px(kLeastStrip), px(kRestingLine) / count);
  const float bottom = y + strip * count + px(kGap);
  if (bottom < view_top_ || y > view_bottom_) return bottom;
  resting_header(lanes, y, bottom);
  lanes_list_->PushClipRect({left_, std::max(y, view_top_)},
                            {left_ + width_, std::min(bottom, view_bottom_)}, true);
  float top = y + px(kGap) / 2;
  for (const std::uint32_t lane : lanes) {
    draw_row(lane, 0, top, top + strip);
    top += strip;
  }
  lanes_list_->PopClipRect();
  return bottom;
}

void draw_timeline(Screen& screen, std::size_t side) {
  Timeline timeline(screen, side);
  timeline.draw();
}

}  // namespace stepscope::viewer
