// SPDX-License-Identifier: Apache-2.0
// The names of lanes, at the left: a click folds, pins or hides.
#include <fmt/format.h>

#include "viewer/ui/timeline.hpp"

namespace stepscope::viewer {
namespace {

constexpr std::size_t kMostNames = 12;

}  // namespace

bool Timeline::is_over_name(float top, float bottom) const {
  const ImVec2 mouse = ImGui::GetMousePos();
  return ImGui::IsWindowHovered() && mouse.x < left_ && mouse.y >= top && mouse.y < bottom &&
         mouse.x >= origin_.x;
}

void Timeline::name_box(float top, float bottom, const std::string& title,
                        const std::string& note) {
  lanes_list_->AddRectFilled(
      {origin_.x, top}, {left_, bottom},
      is_over_name(top, bottom) ? screen_.theme.lane_other : screen_.theme.background);
  lanes_list_->AddLine({origin_.x, bottom}, {left_ + width_, bottom}, screen_.theme.grid,
                       line_width());
  draw_text_in(*lanes_list_, screen_.theme.text, {origin_.x + px(8), top + px(2)},
               {left_ - px(4), bottom}, title);
  const float line = ImGui::GetFontSize();
  if (bottom - top > 2.2F * line)
    draw_text_in(*lanes_list_, screen_.theme.dim, {origin_.x + px(8), top + px(3) + line},
                 {left_ - px(4), bottom}, note);
}

void Timeline::header(std::uint32_t index, float top, float bottom) {
  const Lane& lane = session_.lanes()[index];
  const ImVec2 mouse = ImGui::GetMousePos();
  const bool over = is_over_name(top, bottom);
  const bool at_pin = over && mouse.x >= left_ - px(20);
  const bool at_hide = over && !at_pin && mouse.x >= left_ - px(38);
  if (over && ImGui::IsMouseClicked(0)) {
    if (at_pin) session_.pinned[index] = !session_.pinned[index];
    if (at_hide) session_.hidden[index] = true;
    if (!at_pin && !at_hide && lane.rows.size() > 1)
      session_.collapsed[index] = !session_.collapsed[index];
  }
  const std::string mark = lane.rows.size() > 1 ? (session_.collapsed[index] ? "+ " : "- ") : "";
  name_box(top, bottom, mark + lane.title, lane.note);
  if (over || session_.pinned[index]) pin(index, {left_ - px(11), top + px(10)});
  if (over) hide({left_ - px(29), top + px(10)});
  if (!over) return;
  ImGui::SetTooltip("%s\n%s%s", lane.title.c_str(), lane.note.c_str(),
                    at_pin    ? "\nclick: pin to the top, or unpin"
                    : at_hide ? "\nclick: hide"
                              : "");
}

// Draws one header for all workers at rest.
void Timeline::resting_header(const std::vector<std::uint32_t>& lanes, float top, float bottom) {
  name_box(top, bottom, fmt::format("+ {} idle in this step", lanes.size()), "");
  if (!is_over_name(top, bottom)) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(kMostNames, lanes.size()); ++i)
    names += session_.lanes()[lanes[i]].title + "\n";
  if (lanes.size() > kMostNames) names += fmt::format("and {} more\n", lanes.size() - kMostNames);
  ImGui::SetTooltip("%sclick: a lane each", names.c_str());
  if (!ImGui::IsMouseClicked(0)) return;
  for (const std::uint32_t lane : lanes) session_.resting[lane] = false;
}

void Timeline::pin(std::uint32_t index, ImVec2 at) {
  if (session_.pinned[index])
    lanes_list_->AddCircleFilled(at, px(4), screen_.theme.accent);
  else
    lanes_list_->AddCircle(at, px(4), screen_.theme.dim, 0, px(1));
}

void Timeline::hide(ImVec2 at) {
  const float r = px(3);
  lanes_list_->AddLine({at.x - r, at.y - r}, {at.x + r, at.y + r}, screen_.theme.dim, px(1));
  lanes_list_->AddLine({at.x - r, at.y + r}, {at.x + r, at.y - r}, screen_.theme.dim, px(1));
}

}  // namespace stepscope::viewer
