// SPDX-License-Identifier: Apache-2.0
// Rectangles with their pattern, and text that fits.
#include <algorithm>

#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

// Of a text that is cut: fewer say nothing.
constexpr std::size_t kLeastLetters = 4;

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

void draw_text_in(ImDrawList& list, ImU32 colour, ImVec2 from, ImVec2 to, const std::string& text) {
  const float room = to.x - from.x;
  if (room <= 0) return;
  if (ImGui::CalcTextSize(text.c_str()).x <= room) {
    list.AddText(from, colour, text.c_str());
    return;
  }
  const float dots = ImGui::CalcTextSize("...").x;
  std::size_t low = 0;
  std::size_t high = text.size();
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    const float width = ImGui::CalcTextSize(text.data(), text.data() + middle).x;
    if (width + dots <= room) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  while (low > 0 && (static_cast<unsigned char>(text[low]) & 0xC0U) == 0x80U) --low;
  if (low >= kLeastLetters) list.AddText(from, colour, (text.substr(0, low) + "...").c_str());
}

}  // namespace stepscope::viewer
