// SPDX-License-Identifier: Apache-2.0
// Draws the content of a lane: boxes of events, a curve of a counter, and the text under the mouse.
#include <algorithm>

#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"
#include "viewer/ui/timeline.hpp"

namespace stepscope::viewer {
namespace {

constexpr double kHeadroom = 1.15;  // above a curve: at its most it is still a line
constexpr float kLeastLabelled = 28;

bool is_dotted(EventKind kind) {
  return kind == EventKind::segment || kind == EventKind::gap;
}

}  // namespace

// A band from least to most of each column, and a line that holds each value until the next. The
// scale is that of the whole run, from 0 on, so that two spans can be compared.
void Timeline::draw_curve(const Lane& lane, float top, float bottom) {
  lane.curve.columns(session_.viewport().span(), columns(), screen_.columns);
  const double low = std::min(0.0, lane.curve.least());
  const double high = std::max(low + (lane.curve.most() - low) * kHeadroom, low + 1e-9);
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
  double value = 0;
  if (is_over(top, bottom) && lane.curve.value_at(time_at(ImGui::GetMousePos().x), value))
    ImGui::SetTooltip("%s\n%s (%s)", lane.title.c_str(), counter_text(lane.counter, value).c_str(),
                      lane.note.c_str());
}

void Timeline::draw_row(std::uint32_t lane_index, std::uint32_t row_index, float top,
                        float bottom) {
  const Lane& lane = session_.lanes()[lane_index];
  const Row& row = lane.rows[row_index];
  row.boxes(session_.viewport().span(), columns(), screen_.boxes, precision());
  screen_.rectangles += screen_.boxes.size();
  const float mouse_x = ImGui::GetMousePos().x;
  const bool over = is_over(top, bottom);
  const bool all_lit = session_.search_text().empty();
  const SideBySide beside = labels_of(lane, row_index, bottom - top);
  for (const Box& box : screen_.boxes) {
    if (lane.kind == LaneKind::owners) screen_.on_screen[look_of(box).index] = true;
    const float from = x_of(box.time.begin);
    const float to = std::max(from + line_width(), x_of(box.time.end));
    if (box.single()) {
      draw_event(lane.event(row_index, box.longest), box, {from, top}, {to, bottom}, beside);
    } else {
      const bool lit = all_lit || session_.is_lit(lane.event(row_index, box.longest));
      draw_column(box, {from, top}, {to, bottom}, lit);
    }
    if (over && mouse_x >= from - 1 && mouse_x <= to)
      hover({lane_index, row_index, box.longest}, box);
  }
  outline(lane_index, row_index, top, bottom);
}

// Draws a box of many events: its row is filled in proportion to the device's busy time. Reads only
// the box.
void Timeline::draw_column(const Box& box, ImVec2 from, ImVec2 to, bool lit) {
  const float busy = std::clamp(
      static_cast<float>(box.busy_ns) / static_cast<float>(box.time.length()), 0.15F, 1.0F);
  from.y = to.y - (to.y - from.y) * busy;
  draw_box(*lanes_list_, screen_.theme, screen_.theme.paint(look_of(box)), from, to, screen_.scale,
           lit);
}

bool Timeline::has_label(const Box& box, float height) const {
  return box.single() && x_of(box.time.end) - x_of(box.time.begin) >= px(kLeastLabelled) &&
         height >= ImGui::GetFontSize() * 0.95F;
}

// The names in the row's boxes that are wide enough for one.
SideBySide Timeline::labels_of(const Lane& lane, std::uint32_t row, float height) const {
  std::vector<std::string> names;
  for (const Box& box : screen_.boxes) {
    if (has_label(box, height))
      names.push_back(label_of(session_.run(), lane.event(row, box.longest)));
  }
  return {std::move(names), is_dotted(lane.events) ? NameParts::dotted : NameParts::scoped};
}

// A single event fills its row.
void Timeline::draw_event(EventRef event, const Box& box, ImVec2 from, ImVec2 to,
                          const SideBySide& beside) {
  const Run& run = session_.run();
  const Paint paint = screen_.theme.paint(look_of(box));
  const bool lit = session_.is_lit(event);
  const float seam = to.x - from.x > px(3) ? line_width() : 0;
  draw_box(*lanes_list_, screen_.theme, paint, from, {to.x - seam, to.y}, screen_.scale, lit);
  if (!has_label(box, to.y - from.y)) return;
  const float middle = (from.y + to.y - ImGui::GetFontSize()) / 2;
  const float text_from = std::max(from.x, left_) + px(4);
  std::string length;
  if (event.kind == EventKind::step || event.kind == EventKind::segment)
    length = "  " + format_duration(static_cast<double>(box.time.length()));
  const float room = std::min(to.x, left_ + width_) - px(3) - text_from;
  const std::string label = beside.fitted(label_of(run, event), length, room, text_width);
  if (label.empty()) return;
  if (paint.pattern != Pattern::solid && lit)
    lanes_list_->AddRectFilled(
        {text_from - px(2), middle},
        {text_from + text_width(label) + px(2), middle + ImGui::GetFontSize()}, paint.fill);
  lanes_list_->AddText({text_from, middle}, lit ? paint.text : screen_.theme.dim, label.c_str());
}

void Timeline::hover(Spot spot, const Box& box) {
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

}  // namespace stepscope::viewer
