// SPDX-License-Identifier: Apache-2.0
// Ruler, lane headers and lanes; the mouse on them. All heights are in unscaled pixels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/support/duration.hpp"
#include "reports/wording/numbers.hpp"
#include "viewer/lod/ticks.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

constexpr float kHeader = 210;
constexpr float kRuler = 24;
constexpr float kGroup = 22;
constexpr float kGap = 4;
constexpr float kCollapsedRow = 4;
constexpr float kTickRoom = 110;

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

class Timeline {
 public:
  Timeline(Screen& screen, std::size_t side)
      : screen_(screen),
        pane_(screen.panes[side]),
        side_(side),
        session_(screen.desk.side(side)),
        list_(*ImGui::GetWindowDrawList()) {
    origin_ = ImGui::GetCursorScreenPos();
    size_ = ImGui::GetContentRegionAvail();
    left_ = origin_.x + px(kHeader);
    width_ = std::max(50.0F, size_.x - px(kHeader));
  }

  void draw() {
    pane_.hovered.reset();
    pane_.selected_at.clear();
    ruler();
    ImGui::SetCursorScreenPos({origin_.x, origin_.y + px(kRuler)});
    ImGui::BeginChild("lanes", {size_.x, size_.y - px(kRuler)}, false,
                      ImGuiWindowFlags_NoScrollWithMouse);
    lanes_list_ = ImGui::GetWindowDrawList();
    lanes();
    mouse();
    ImGui::EndChild();
  }

 private:
  float px(float size) const { return screen_.px(size); }
  float x_of(std::int64_t t) const {
    const double x = session_.viewport().x_of(t, static_cast<double>(width_));
    return left_ + static_cast<float>(std::clamp(x, -10.0, static_cast<double>(width_) + 10.0));
  }
  std::int64_t time_at(float x) const {
    return session_.viewport().time_at(static_cast<double>(x - left_), static_cast<double>(width_));
  }

  std::int64_t zero() const { return screen_.desk.zero(side_); }

  void ruler() {
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
      list_.AddLine({x, origin_.y + px(16)}, {x, origin_.y + px(kRuler)}, theme.dim);
      list_.AddText({x + px(4), origin_.y + px(4)}, theme.text,
                    tick_label(t - zero(), marks_.step_ns, span.length()).c_str());
    }
    list_.PopClipRect();
  }

  void grid(float top, float bottom) {
    for (const std::int64_t t : marks_.at)
      lanes_list_->AddLine({x_of(t), top}, {x_of(t), bottom}, screen_.theme.grid);
  }

  void lanes() {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    view_top_ = ImGui::GetWindowPos().y;
    view_bottom_ = view_top_ + ImGui::GetWindowHeight();
    grid(view_top_, view_bottom_);
    float y = corner.y;
    std::string group;
    for (const std::uint32_t i : session_.shown_lanes()) {
      const Lane& lane = session_.lanes()[i];
      const std::string& own = session_.pinned[i] ? kPinned : lane.group;
      if (group != own) y = group_title(own, y);
      group = own;
      if (session_.wanted_lane == i) {
        ImGui::SetScrollY(y - corner.y);
        session_.wanted_lane.reset();
      }
      y = lane_at(i, y);
    }
    if (session_.hidden_lanes() > 0)
      y = group_title(fmt::format("{} lanes are hidden: X shows them", session_.hidden_lanes()), y);
    ImGui::SetCursorScreenPos({corner.x, y});
    ImGui::Dummy({1, px(8)});
    measured_range();
    marks();
    links();
  }

  float group_title(const std::string& name, float y) {
    const float bottom = y + px(kGroup);
    lanes_list_->AddRectFilled({origin_.x, y}, {origin_.x + size_.x, bottom}, screen_.theme.panel);
    lanes_list_->AddText({origin_.x + px(8), y + px(3)}, screen_.theme.accent, name.c_str());
    return bottom;
  }

  float lane_at(std::uint32_t index, float y) {
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

  void header(std::uint32_t index, float top, float bottom) {
    const Lane& lane = session_.lanes()[index];
    const ImVec2 mouse = ImGui::GetMousePos();
    const bool over = ImGui::IsWindowHovered() && mouse.x < left_ && mouse.y >= top &&
                      mouse.y < bottom && mouse.x >= origin_.x;
    const bool at_pin = over && mouse.x >= left_ - px(20);
    const bool at_hide = over && !at_pin && mouse.x >= left_ - px(38);
    if (over && ImGui::IsMouseClicked(0)) {
      if (at_pin) session_.pinned[index] = !session_.pinned[index];
      if (at_hide) session_.hidden[index] = true;
      if (!at_pin && !at_hide && lane.rows.size() > 1)
        session_.collapsed[index] = !session_.collapsed[index];
    }
    lanes_list_->AddRectFilled({origin_.x, top}, {left_, bottom},
                               over ? screen_.theme.lane_other : screen_.theme.background);
    lanes_list_->AddLine({origin_.x, bottom}, {left_ + width_, bottom}, screen_.theme.grid);
    const std::string mark = lane.rows.size() > 1 ? (session_.collapsed[index] ? "+ " : "- ") : "";
    draw_text_in(*lanes_list_, screen_.theme.text, {origin_.x + px(8), top + px(2)},
                 {left_ - px(4), bottom}, mark + lane.title);
    const float line = ImGui::GetFontSize();
    if (bottom - top > 2.2F * line)
      draw_text_in(*lanes_list_, screen_.theme.dim, {origin_.x + px(8), top + px(3) + line},
                   {left_ - px(4), bottom}, lane.note);
    if (over || session_.pinned[index]) pin(index, {left_ - px(11), top + px(10)});
    if (over) hide({left_ - px(29), top + px(10)});
    if (!over) return;
    ImGui::SetTooltip("%s\n%s%s", lane.title.c_str(), lane.note.c_str(),
                      at_pin    ? "\nclick: pin to the top, or unpin"
                      : at_hide ? "\nclick: hide"
                                : "");
  }

  void pin(std::uint32_t index, ImVec2 at) {
    if (session_.pinned[index])
      lanes_list_->AddCircleFilled(at, px(4), screen_.theme.accent);
    else
      lanes_list_->AddCircle(at, px(4), screen_.theme.dim, 0, px(1));
  }

  void hide(ImVec2 at) {
    const float r = px(3);
    lanes_list_->AddLine({at.x - r, at.y - r}, {at.x + r, at.y + r}, screen_.theme.dim, px(1));
    lanes_list_->AddLine({at.x - r, at.y + r}, {at.x + r, at.y - r}, screen_.theme.dim, px(1));
  }

  // A band from least to most of each column, and a line that holds each value until the next. The
  // scale is that of the whole run, from 0 on, so that two spans can be compared.
  void draw_curve(const Lane& lane, float top, float bottom) {
    lane.curve.columns(session_.viewport().span(), static_cast<int>(width_), screen_.columns);
    const double low = std::min(0.0, lane.curve.least());
    const double high = std::max(lane.curve.most(), low + 1e-9);
    const auto y_of = [&](double value) {
      return bottom - (bottom - top) * static_cast<float>((value - low) / (high - low));
    };
    const ImU32 line = screen_.theme.accent;
    const ImU32 band = (line & ~IM_COL32_A_MASK) | IM_COL32(0, 0, 0, 70);
    for (std::size_t i = 0; i < screen_.columns.size(); ++i) {
      const CurveColumn& column = screen_.columns[i];
      const bool is_last = i + 1 == screen_.columns.size();
      const float from = x_of(column.time);
      const float to = is_last ? std::min(left_ + width_, x_of(session_.run().trace.end()))
                               : x_of(screen_.columns[i + 1].time);
      const float y = y_of(column.count > 1 ? column.mean : column.last);
      lanes_list_->AddRectFilled({from, y}, {std::max(to, from + 1), bottom}, band);
      lanes_list_->AddLine({from, y}, {std::max(to, from + 1), y}, line, px(1.2F));
      if (column.count > 1)
        lanes_list_->AddRectFilled({from, y_of(column.most)}, {from + px(1.5F), y_of(column.least)},
                                   line);
      screen_.rectangles += 2;
    }
    const ImVec2 mouse = ImGui::GetMousePos();
    const bool over =
        ImGui::IsWindowHovered() && mouse.x >= left_ && mouse.y >= top && mouse.y < bottom;
    double value = 0;
    if (over && lane.curve.value_at(time_at(mouse.x), value))
      ImGui::SetTooltip("%s\n%s (%s)", lane.title.c_str(),
                        counter_text(lane.counter, value).c_str(), lane.note.c_str());
  }

  void draw_row(std::uint32_t lane_index, std::uint32_t row_index, float top, float bottom) {
    const Lane& lane = session_.lanes()[lane_index];
    const Row& row = lane.rows[row_index];
    row.boxes(session_.viewport().span(), static_cast<int>(width_), screen_.boxes);
    screen_.rectangles += screen_.boxes.size();
    const ImVec2 mouse = ImGui::GetMousePos();
    const bool over =
        ImGui::IsWindowHovered() && mouse.x >= left_ && mouse.y >= top && mouse.y < bottom;
    for (const Box& box : screen_.boxes) {
      const float from = x_of(box.time.begin);
      const float to = std::max(from + 1, x_of(box.time.end));
      const EventRef event = lane.event(row_index, box.longest);
      draw_event(event, box, {from, top}, {to, bottom});
      if (over && mouse.x >= from - 1 && mouse.x <= to)
        hover({lane_index, row_index, box.longest}, box);
    }
    outline(lane_index, row_index, top, bottom);
  }

  // A single event fills its row; a column of many fills as much of it as the device was busy.
  void draw_event(EventRef event, const Box& box, ImVec2 from, ImVec2 to) {
    const Run& run = session_.run();
    const Paint paint = screen_.theme.paint(look_of(run, event));
    const bool lit = session_.is_lit(event);
    if (!box.single() && box.time.length() > 0) {
      const float busy = std::clamp(
          static_cast<float>(box.busy_ns) / static_cast<float>(box.time.length()), 0.15F, 1.0F);
      from.y = to.y - (to.y - from.y) * busy;
    }
    const bool wide = to.x - from.x > 3;
    draw_box(*lanes_list_, screen_.theme, paint, from, {to.x - (wide ? 1 : 0), to.y}, screen_.scale,
             lit);
    if (to.x - from.x < px(28) || to.y - from.y < ImGui::GetFontSize() * 0.95F) return;
    const float middle = (from.y + to.y - ImGui::GetFontSize()) / 2;
    const float text_from = std::max(from.x, left_) + px(4);
    std::string label = label_of(run, event);
    if (event.kind == EventKind::step || event.kind == EventKind::segment)
      label += "  " + format_duration(static_cast<double>(box.time.length()));
    if (paint.pattern != Pattern::solid && lit) {
      const float room = std::min(ImGui::CalcTextSize(label.c_str()).x, to.x - text_from - px(4));
      lanes_list_->AddRectFilled({text_from - px(2), middle},
                                 {text_from + room + px(2), middle + ImGui::GetFontSize()},
                                 paint.fill);
    }
    draw_text_in(*lanes_list_, lit ? paint.text : screen_.theme.dim, {text_from, middle},
                 {std::min(to.x, left_ + width_) - px(3), to.y}, label);
  }

  void hover(Spot spot, const Box& box) {
    pane_.hovered = spot;
    const EventRef event = session_.lanes()[spot.lane].event(spot.row, spot.index);
    const std::string name = label_of(session_.run(), event);
    const std::string length =
        format_duration(static_cast<double>(time_of(session_.run(), event).length()));
    if (box.single()) {
      ImGui::SetTooltip("%s\n%s", name.c_str(), length.c_str());
    } else {
      const double share = static_cast<double>(box.busy_ns) /
                           static_cast<double>(std::max<std::int64_t>(1, box.time.length()));
      ImGui::SetTooltip("%s events in this pixel, busy %s\nlongest: %s, %s",
                        format_count(box.count).c_str(), format_share(std::min(1.0, share)).c_str(),
                        name.c_str(), length.c_str());
    }
  }

  // The selected event, and those that it leads to.
  void outline(std::uint32_t lane, std::uint32_t row, float top, float bottom) {
    const auto selected = session_.selected();
    if (selected && selected->lane == lane && selected->row == row) {
      const Interval time = session_.lanes()[lane].rows[row].time(selected->index);
      const float from = x_of(time.begin);
      const float to = std::max(from + 2, x_of(time.end));
      lanes_list_->AddRect({from - 1, top - 1}, {to + 1, bottom + 1}, screen_.theme.selection, 0, 0,
                           px(2));
      pane_.selected_at.insert(pane_.selected_at.begin(), {(from + to) / 2, (top + bottom) / 2});
    }
    for (const Spot& spot : linked_) {
      if (spot.lane != lane || spot.row != row) continue;
      const Interval time = session_.lanes()[lane].rows[row].time(spot.index);
      linked_at_.push_back({(x_of(time.begin) + x_of(time.end)) / 2, (top + bottom) / 2});
      lanes_list_->AddRect({x_of(time.begin), top},
                           {std::max(x_of(time.begin) + 2, x_of(time.end)), bottom},
                           screen_.theme.accent, 0, 0, px(1.5F));
    }
  }

  void links() {
    if (pane_.selected_at.empty()) return;
    const ImVec2 from = pane_.selected_at.front();
    for (const ImVec2 to : linked_at_) {
      const float bend = std::max(px(20), std::abs(to.x - from.x) / 3);
      lanes_list_->AddBezierCubic(from, {from.x + bend, from.y}, {to.x - bend, to.y}, to,
                                  screen_.theme.accent, px(1.5F));
      lanes_list_->AddCircleFilled(to, px(3), screen_.theme.accent);
    }
  }

  void measured_range() {
    const auto range = session_.measured();
    if (!range) return;
    const float from = x_of(range->begin);
    const float to = x_of(range->end);
    lanes_list_->AddRectFilled({from, view_top_}, {to, view_bottom_},
                               (screen_.theme.accent & ~IM_COL32_A_MASK) | IM_COL32(0, 0, 0, 36));
    lanes_list_->AddLine({from, view_top_}, {from, view_bottom_}, screen_.theme.accent, px(1));
    lanes_list_->AddLine({to, view_top_}, {to, view_bottom_}, screen_.theme.accent, px(1));
    const std::string text = format_duration(static_cast<double>(range->length()));
    lanes_list_->AddText({from + px(4), view_top_ + px(3)}, screen_.theme.accent, text.c_str());
  }

  void marks() {
    for (const Mark& mark : session_.marks()) {
      const float from = x_of(mark.time.begin);
      const float to = x_of(mark.time.end);
      if (to < left_ || from > left_ + width_) continue;
      const ImU32 colour = screen_.theme.mark;
      lanes_list_->AddLine({from, view_top_}, {from, view_bottom_}, colour, px(1));
      if (to > from + 1) lanes_list_->AddLine({to, view_top_}, {to, view_bottom_}, colour, px(1));
      const float line = ImGui::GetFontSize();
      const float bottom = view_bottom_ - px(4);
      const float width = std::min(ImGui::CalcTextSize(mark.text.c_str()).x, px(220)) + px(6);
      lanes_list_->AddRectFilled({from, bottom - line - px(2)}, {from + width, bottom}, colour);
      draw_text_in(*lanes_list_, screen_.theme.mark_text, {from + px(3), bottom - line - px(1)},
                   {from + width, bottom}, mark.text);
    }
  }

  std::int64_t snapped(std::int64_t t) const {
    if (!pane_.hovered || ImGui::GetIO().KeyAlt) return t;
    const auto pixel =
        static_cast<double>(session_.viewport().span().length()) / static_cast<double>(width_);
    return session_.snap(pane_.hovered->lane, t,
                         static_cast<std::int64_t>(static_cast<double>(px(6)) * pixel));
  }

  void mouse() {
    const ImGuiIO& io = ImGui::GetIO();
    const bool inside = ImGui::IsWindowHovered() && io.MousePos.x >= left_;
    if (ImGui::IsWindowHovered() && !inside && io.MouseWheel != 0)
      ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseWheel * px(60));
    const bool used = inside && (io.MouseWheel != 0 || ImGui::IsMouseClicked(0) ||
                                 ImGui::IsMouseClicked(1) || ImGui::IsMouseClicked(2));
    if (used) screen_.desk.activate(side_);
    if (inside) wheel(io);
    pan(io, inside);
    middle_button(io, inside);
    left_button(io, inside);
  }

  void wheel(const ImGuiIO& io) {
    const double ns_per_pixel =
        static_cast<double>(session_.viewport().span().length()) / static_cast<double>(width_);
    if (io.MouseWheel != 0) {
      const double base = io.KeyCtrl ? 0.95 : io.KeyShift ? 0.5 : 0.8;
      session_.wheel(time_at(io.MousePos.x), std::pow(base, static_cast<double>(io.MouseWheel)));
    }
    if (io.MouseWheelH != 0)
      session_.drag(
          static_cast<std::int64_t>(-60.0 * static_cast<double>(io.MouseWheelH) * ns_per_pixel));
  }

  void pan(const ImGuiIO& io, bool inside) {
    const bool right = ImGui::IsMouseDragging(1, 0);
    const bool shifted = io.KeyShift && ImGui::IsMouseDragging(0, 2);
    if (!inside || (!right && !shifted)) return;
    const double ns_per_pixel =
        static_cast<double>(session_.viewport().span().length()) / static_cast<double>(width_);
    session_.drag(static_cast<std::int64_t>(-static_cast<double>(io.MouseDelta.x) * ns_per_pixel));
    if (right) ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseDelta.y);
  }

  void middle_button(const ImGuiIO& io, bool inside) {
    if (inside && ImGui::IsMouseClicked(2)) pane_.zoom_from = time_at(io.MousePos.x);
    if (!pane_.zoom_from) return;
    const float from = x_of(*pane_.zoom_from);
    lanes_list_->AddRectFilled({from, view_top_}, {io.MousePos.x, view_bottom_},
                               (screen_.theme.accent & ~IM_COL32_A_MASK) | IM_COL32(0, 0, 0, 50));
    if (!ImGui::IsMouseReleased(2)) return;
    const std::int64_t to = time_at(io.MousePos.x);
    const Interval range = {std::min(*pane_.zoom_from, to), std::max(*pane_.zoom_from, to)};
    pane_.zoom_from.reset();
    if (std::abs(io.MousePos.x - from) < 3) return;
    session_.zoom_to(range, io.KeyCtrl);
  }

  void left_button(const ImGuiIO& io, bool inside) {
    if (inside && ImGui::IsMouseDoubleClicked(0) && pane_.hovered) {
      session_.select(*pane_.hovered);
      return session_.fill_with_selection();
    }
    if (inside && ImGui::IsMouseClicked(0) && !io.KeyShift)
      pane_.drag_from = snapped(time_at(io.MousePos.x));
    if (!pane_.drag_from) return;
    if (ImGui::IsMouseDragging(0, 3)) {
      const std::int64_t to = snapped(time_at(io.MousePos.x));
      session_.measure({std::min(*pane_.drag_from, to), std::max(*pane_.drag_from, to)});
    }
    if (!ImGui::IsMouseReleased(0)) return;
    pane_.drag_from.reset();
    const ImVec2 moved = ImGui::GetMouseDragDelta(0, 0);
    const bool click = std::abs(moved.x) < 3 && std::abs(moved.y) < 3;
    if (click && pane_.hovered) session_.select(*pane_.hovered);
  }

 public:
  void find_links() {
    const auto event = session_.selected_event();
    if (!event) return;
    for (const EventRef to : linked_to(session_.run(), *event)) {
      if (const auto spot = find_spot(session_.run(), session_.lanes(), to))
        linked_.push_back(*spot);
    }
  }

 private:
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
  std::vector<Spot> linked_;
  std::vector<ImVec2> linked_at_;
};

}  // namespace

void draw_timeline(Screen& screen, std::size_t side) {
  Timeline timeline(screen, side);
  timeline.find_links();
  timeline.draw();
}

}  // namespace stepscope::viewer
