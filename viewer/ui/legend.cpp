// SPDX-License-Identifier: Apache-2.0
// The legend: a line of the causes that the band of owners shows, each in its paint.
#include "viewer/view/desk.hpp"

#include <fmt/format.h>

#include "core/report/wording/numbers.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

constexpr float kLegendHeader = 210;  // below the lanes' names
constexpr float kSwatch = 22;
constexpr float kBetween = 16;

}  // namespace

void draw_legend(const Screen& screen) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float top = from.y + screen.px(3);
  const float line = ImGui::GetFontSize();
  const std::vector<Cause> causes = legend_of(screen.desk, screen.on_screen);
  if (causes.empty()) return;
  list.AddText({from.x + screen.px(8), top}, screen.theme.dim, "owners on screen");
  std::vector<float> widths;
  for (const Cause cause : causes)
    widths.push_back(screen.px(kSwatch + kBetween + 6) + text_width(name_of(cause)));
  const float more = text_width("and 99 more");
  const std::size_t shown = items_that_fit(widths, size.x - screen.px(kLegendHeader), more);
  float x = from.x + screen.px(kLegendHeader);
  for (std::size_t i = 0; i < shown; ++i) {
    draw_box(list, screen.theme, screen.theme.paint(causes[i]), {x, top},
             {x + screen.px(kSwatch), top + line}, screen.scale);
    const std::string name(name_of(causes[i]));
    list.AddText({x + screen.px(kSwatch + 6), top}, screen.theme.text, name.c_str());
    const ImVec2 end = {x + widths[i] - screen.px(kBetween), top + line};
    if (ImGui::IsMouseHoveringRect({x, top}, end))
      ImGui::SetTooltip("%s: %s", name.c_str(), std::string(meaning_of(causes[i])).c_str());
    x += widths[i];
  }
  if (shown < causes.size())
    list.AddText({x, top}, screen.theme.dim,
                 fmt::format("and {} more", causes.size() - shown).c_str());
}

}  // namespace stepscope::viewer
