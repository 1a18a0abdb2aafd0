// SPDX-License-Identifier: Apache-2.0
// The whole run of the active side in small: its band of owners, and a frame around what is on
// screen. A click or a drag goes there, the wheel changes the width of the frame.
#include <algorithm>
#include <cmath>

#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

constexpr float kMapHeader = 210;

const Lane* band_of(const Session& session) {
  for (const Lane& lane : session.lanes()) {
    if (lane.kind == LaneKind::owners && !lane.rows.empty()) return &lane;
  }
  return nullptr;
}

}  // namespace

void draw_minimap(Screen& screen) {
  Session& session = screen.desk.active();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float left = from.x + screen.px(kMapHeader);
  const float width = std::max(50.0F, from.x + room.x - left);
  const Interval whole = session.viewport().whole();
  const auto x_of = [&](std::int64_t t) {
    const double share = static_cast<double>(t - whole.begin) / static_cast<double>(whole.length());
    return left + static_cast<float>(std::clamp(share, 0.0, 1.0)) * width;
  };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float top = from.y + screen.px(4);
  const float bottom = from.y + room.y - screen.px(2);
  list.AddRectFilled(from, {from.x + room.x, from.y + room.y}, screen.theme.panel);
  list.AddText({from.x + screen.px(8), from.y + screen.px(1)}, screen.theme.dim,
               screen.desk.sides() < 2          ? "the whole run"
               : screen.desk.active_side() == 0 ? "the whole of A"
                                                : "the whole of B");
  if (const Lane* lane = band_of(session)) {
    const float column = std::max(1.0F, screen.px(1));
    lane->rows.front().boxes(whole, static_cast<int>(width / column), screen.boxes);
    for (const Box& box : screen.boxes) {
      const Paint paint = screen.theme.paint(look_of(box));
      const float x = x_of(box.time.begin);
      list.AddRectFilled({x, top}, {std::max(x + column, x_of(box.time.end)), bottom}, paint.fill);
    }
    screen.rectangles += screen.boxes.size();
    const Row& band = lane->rows.front();
    const float y = from.y + screen.px(1);
    draw_text_in(list, screen.theme.dim, {left + screen.px(4), y},
                 {x_of(band.time(0).begin), bottom}, "before the first step");
    draw_text_in(list, screen.theme.dim, {x_of(band.last_end()) + screen.px(4), y},
                 {left + width, bottom}, "after the last step");
  }
  const Interval span = session.viewport().span();
  const float right = std::max(x_of(span.end), x_of(span.begin) + screen.px(3));
  list.AddRect({x_of(span.begin) - 1, top - 2}, {right + 1, bottom + 2}, screen.theme.selection, 0,
               0, screen.px(2));
  ImGui::SetCursorScreenPos({left, from.y});
  ImGui::InvisibleButton("map", {width, room.y});
  const float turned = ImGui::IsItemHovered() ? ImGui::GetIO().MouseWheel : 0;
  if (turned != 0)
    session.wheel(span.begin + span.length() / 2, std::pow(0.8, static_cast<double>(turned)));
  if (!ImGui::IsItemActive()) return;
  const double share = static_cast<double>((ImGui::GetMousePos().x - left) / width);
  const auto at = whole.begin + static_cast<std::int64_t>(std::clamp(share, 0.0, 1.0) *
                                                          static_cast<double>(whole.length()));
  session.drag(at - (span.begin + span.length() / 2));
}

}  // namespace stepscope::viewer
