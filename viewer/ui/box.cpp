// SPDX-License-Identifier: Apache-2.0
// Rectangles with their pattern, and text that fits.
#include <algorithm>

#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

void slanted(ImDrawList& list, ImU32 colour, ImVec2 from, ImVec2 to, float gap, float width,
             bool falling) {
  const float height = to.y - from.y;
  list.PushClipRect(from, to, true);
  for (float x = from.x - height; x < to.x; x += gap) {
    const float a = falling ? x : x + height;
    list.AddLine({a, from.y}, {falling ? x + height : x, to.y}, colour, width);
  }
  list.PopClipRect();
}

}  // namespace

void draw_box(ImDrawList& list, const Theme& theme, const Paint& paint, ImVec2 from, ImVec2 to,
              float scale, bool lit) {
  const ImU32 faded = (paint.fill & ~IM_COL32_A_MASK) | IM_COL32(0, 0, 0, 40);
  list.AddRectFilled(from, to, lit ? paint.fill : faded);
  if (!lit || to.x - from.x < 4 * scale || to.y - from.y < 8 * scale) return;
  const float gap = 6 * scale;
  const float width = std::max(1.0F, scale);
  if (paint.pattern == Pattern::hatch || paint.pattern == Pattern::cross)
    slanted(list, theme.hatch, from, to, gap, width, false);
  if (paint.pattern == Pattern::cross) slanted(list, theme.hatch, from, to, gap, width, true);
  if (paint.pattern != Pattern::lines) return;
  for (float y = from.y + gap / 2; y < to.y; y += gap)
    list.AddLine({from.x, y}, {to.x, y}, theme.hatch, width);
}

float text_width(std::string_view text) {
  return ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
}

void say_wrapped(std::string_view text) {
  const std::string lines = wrapped_to(text, ImGui::GetContentRegionAvail().x, text_width);
  ImGui::TextUnformatted(lines.c_str());
}

void say_cut(const std::string& text, float room) {
  ImGui::TextUnformatted(cut_to(text, room, text_width).c_str());
}

void draw_text_in(ImDrawList& list, ImU32 colour, ImVec2 from, ImVec2 to, const std::string& text) {
  const std::string shown = cut_to(text, to.x - from.x, text_width);
  if (!shown.empty()) list.AddText(from, colour, shown.c_str());
}

}  // namespace stepscope::viewer
