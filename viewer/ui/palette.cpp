// SPDX-License-Identifier: Apache-2.0
// The palette: type some words, Enter takes the first, a click any.
#include "viewer/view/desk.hpp"

#include "viewer/imgui_compat.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {

void draw_palette(Screen& screen, ImVec2 size) {
  const float width = std::min(screen.px(640), 0.9F * size.x);
  ImGui::SetNextWindowPos({(size.x - width) / 2, size.y * 0.15F});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::Begin("##palette", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoSavedSettings);
  if (ImGui::IsWindowAppearing()) {
    screen.palette.clear();
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(-1);
  const bool entered =
      ImGui::InputTextWithHint("##words", "a command, lane, step, finding or mark", &screen.palette,
                               ImGuiInputTextFlags_EnterReturnsTrue);
  const std::vector<PaletteEntry> entries = palette_entries(screen.desk, screen.palette);
  const PaletteEntry* chosen = entered && !entries.empty() ? &entries.front() : nullptr;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(entries[i].text.c_str(), i == 0)) chosen = &entries[i];
    ImGui::PopID();
    if (entries[i].key.empty()) continue;
    ImGui::SameLine(width - screen.px(90));
    ImGui::TextDisabled("%s", entries[i].key.c_str());
  }
  if (entries.empty()) ImGui::TextDisabled("nothing of that name");
  ImGui::End();
  if (chosen != nullptr) run_entry(screen.desk, *chosen);
}

}  // namespace stepscope::viewer
