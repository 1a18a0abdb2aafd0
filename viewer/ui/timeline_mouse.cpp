// SPDX-License-Identifier: Apache-2.0
// The mouse on the lanes: wheel, pan, zoom to a range, selection, measuring.
#include <algorithm>
#include <cmath>

#include "viewer/ui/timeline.hpp"

namespace stepscope::viewer {

std::int64_t Timeline::snapped(std::int64_t t) const {
  if (!pane_.hovered || ImGui::GetIO().KeyAlt) return t;
  const double near = static_cast<double>(px(6)) * ns_per_pixel();
  return session_.snap(pane_.hovered->lane, t, static_cast<std::int64_t>(near));
}

void Timeline::mouse() {
  const ImGuiIO& io = ImGui::GetIO();
  const bool inside = ImGui::IsWindowHovered() && io.MousePos.x >= left_;
  if (ImGui::IsWindowHovered() && !inside && io.MouseWheel != 0)
    ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseWheel * px(60));
  session_.pointed = inside ? std::optional(time_at(io.MousePos.x)) : std::nullopt;
  const bool used = inside && (io.MouseWheel != 0 || ImGui::IsMouseClicked(0) ||
                               ImGui::IsMouseClicked(1) || ImGui::IsMouseClicked(2));
  if (used) screen_.desk.activate(side_);
  if (inside) wheel(io);
  pan(io, inside);
  middle_button(io, inside);
  left_button(io, inside);
}

void Timeline::wheel(const ImGuiIO& io) {
  if (io.MouseWheel != 0) {
    const double base = io.KeyCtrl ? 0.95 : io.KeyShift ? 0.5 : 0.8;
    session_.wheel(time_at(io.MousePos.x), std::pow(base, static_cast<double>(io.MouseWheel)));
  }
  if (io.MouseWheelH != 0)
    session_.drag(
        static_cast<std::int64_t>(-60.0 * static_cast<double>(io.MouseWheelH) * ns_per_pixel()));
}

void Timeline::pan(const ImGuiIO& io, bool inside) {
  const bool right = ImGui::IsMouseDragging(1, 0);
  const bool shifted = io.KeyShift && ImGui::IsMouseDragging(0, 2);
  if (!inside || (!right && !shifted)) return;
  session_.drag(static_cast<std::int64_t>(-static_cast<double>(io.MouseDelta.x) * ns_per_pixel()));
  if (right) ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseDelta.y);
}

void Timeline::middle_button(const ImGuiIO& io, bool inside) {
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

void Timeline::left_button(const ImGuiIO& io, bool inside) {
  if (inside && ImGui::IsMouseDoubleClicked(0) && pane_.hovered) {
    session_.select(*pane_.hovered);
    return session_.fill_with_selection();
  }
  if (inside && ImGui::IsMouseClicked(0) && !io.KeyShift)
    pane_.drag_from = snapped(time_at(io.MousePos.x));
  if (!pane_.drag_from) return;
  if (ImGui::IsMouseDragging(0, 3)) {
    const std::int64_t to = snapped(time_at(io.MousePos.x));
    screen_.desk.measure(side_, {std::min(*pane_.drag_from, to), std::max(*pane_.drag_from, to)});
  }
  if (!ImGui::IsMouseReleased(0)) return;
  pane_.drag_from.reset();
  const ImVec2 moved = ImGui::GetMouseDragDelta(0, 0);
  const bool click = std::abs(moved.x) < 3 && std::abs(moved.y) < 3;
  if (click && pane_.hovered) session_.select(*pane_.hovered);
}

}  // namespace stepscope::viewer
