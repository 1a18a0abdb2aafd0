// SPDX-License-Identifier: Apache-2.0
// What lies over the lanes: the selection and its links, the measured range, marks.
#include <algorithm>

#include "core/support/duration.hpp"
#include "viewer/ui/timeline.hpp"
#include "viewer/view/details.hpp"

namespace stepscope::viewer {

std::vector<Spot> Timeline::linked_spots(std::optional<EventRef> event) const {
  std::vector<Spot> out;
  if (!event) return out;
  for (const EventRef to : linked_to(session_.run(), *event)) {
    if (const auto spot = find_spot(session_.run(), session_.lanes(), to)) out.push_back(*spot);
  }
  return out;
}

void Timeline::frame_of(Spot spot, float top, float bottom, ImU32 colour, float width) {
  const Interval time = session_.lanes()[spot.lane].rows[spot.row].time(spot.index);
  const float from = x_of(time.begin);
  lanes_list_->AddRect({from - 1, top - 1},
                       {std::max(from + px(2), x_of(time.end)) + 1, bottom + 1}, colour, 0, 0,
                       width);
}

// The selected event, those that it leads to, and those that belong to what is under the mouse.
void Timeline::outline(std::uint32_t lane, std::uint32_t row, float top, float bottom) {
  const auto here = [&](Spot spot) { return spot.lane == lane && spot.row == row; };
  const auto drawn = [&](Spot spot) {
    const Interval time = session_.lanes()[lane].rows[row].time(spot.index);
    return Drawn{(x_of(time.begin) + x_of(time.end)) / 2, top, bottom};
  };
  for (const Spot spot : pane_.related) {
    if (here(spot)) frame_of(spot, top, bottom, screen_.theme.text, px(1.5F));
  }
  for (const Spot spot : linked_) {
    if (!here(spot)) continue;
    linked_at_.push_back(drawn(spot));
    frame_of(spot, top, bottom, screen_.theme.accent, px(1.5F));
  }
  const auto selected = session_.selected();
  if (!selected || !here(*selected)) return;
  selected_at_ = drawn(*selected);
  frame_of(*selected, top, bottom, screen_.theme.selection, px(2));
}

// Draws links from edge to edge, so that the names in the boxes stay readable.
void Timeline::links() {
  if (!selected_at_) return;
  for (const Drawn& at : linked_at_) {
    const bool below = at.top >= selected_at_->top;
    const ImVec2 from = {selected_at_->x, below ? selected_at_->bottom : selected_at_->top};
    const ImVec2 to = {at.x, below ? at.top : at.bottom};
    const float bend = (to.y - from.y) / 2;
    lanes_list_->AddBezierCubic(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to,
                                screen_.theme.accent, px(1.5F));
    lanes_list_->AddCircleFilled(to, px(3), screen_.theme.accent);
  }
}

void Timeline::measured_range() {
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

void Timeline::marks() {
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

}  // namespace stepscope::viewer
