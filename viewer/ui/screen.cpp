// SPDX-License-Identifier: Apache-2.0
#include "viewer/ui/screen.hpp"

#include <fmt/format.h>

#include <array>

#include "reports/wording/step_scale.hpp"
#include "reports/wording/verdict.hpp"
#include "viewer/imgui_compat.hpp"

namespace stepscope::viewer {
namespace {

constexpr float kTop = 74;
constexpr float kStrip = 46;
constexpr float kDetails = 400;
constexpr float kTabs = 240;

void keyboard(Screen& screen) {
  if (ImGui::GetIO().WantTextInput) return;
  const ImVector<ImWchar>& typed = ImGui::GetIO().InputQueueCharacters;
  for (int i = 0; i < typed.Size; ++i) {
    if (typed[i] >= 128) continue;
    if (const auto command = command_of(static_cast<char>(typed[i])))
      screen.session.apply(*command);
  }
  struct Named {
    ImGuiKey key;
    const char* name;
  };
  const std::array<Named, 5> named = {{{ImGuiKey_RightArrow, "Right"},
                                       {ImGuiKey_LeftArrow, "Left"},
                                       {ImGuiKey_Home, "Home"},
                                       {ImGuiKey_Backspace, "Backspace"},
                                       {ImGuiKey_Escape, "Esc"}}};
  for (const Named& key : named) {
    if (!key_pressed(key.key)) continue;
    screen.session.apply(*command_named(key.name));
    if (screen.session.search_text().empty()) screen.search.clear();
  }
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : "  ·  ") + part;
  }
  return out;
}

void search_box(Screen& screen, float width) {
  const float room = screen.px(300);
  ImGui::SameLine(width - room - screen.px(92));
  if (screen.session.search_wanted) ImGui::SetKeyboardFocusHere();
  screen.session.search_wanted = false;
  ImGui::SetNextItemWidth(room);
  const bool entered = ImGui::InputTextWithHint("##search", "/ search by name", &screen.search,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemEdited()) screen.session.search(screen.search);
  if (entered) screen.session.apply(Command::next_match);
  ImGui::SameLine();
  if (screen.search.empty()) {
    ImGui::TextDisabled("? keys");
  } else {
    ImGui::TextDisabled("%llu", static_cast<unsigned long long>(screen.session.matches()));
  }
}

void top(Screen& screen, float width) {
  const Summary& summary = screen.session.run().summary;
  const StepScale scale = scale_of(summary);
  ImGui::PushStyleColor(ImGuiCol_Text, screen.theme.accent);
  ImGui::TextUnformatted(verdict_label(scale).text.data());
  ImGui::PopStyleColor();
  ImGui::SameLine();
  ImGui::TextUnformatted(step_time_text(scale).c_str());
  search_box(screen, width);
  ImGui::TextDisabled(
      "%s", (joined(what_ran(summary.run)) + "  ·  " + joined(where_it_ran(summary.run))).c_str());
  ImGui::TextUnformatted(screen.session.sentence().c_str());
}

// A part of the screen as an ImGui child at its place.
template <class Draw>
void part(const char* name, ImVec2 at, ImVec2 size, Draw draw_it) {
  ImGui::SetCursorPos(at);
  ImGui::BeginChild(name, size, false, ImGuiWindowFlags_NoScrollWithMouse);
  draw_it();
  ImGui::EndChild();
}

}  // namespace

void draw(Screen& screen, ImVec2 size) {
  if (screen.theme.light != screen.session.light) {
    screen.theme = make_theme(screen.session.light);
    apply_style(screen.theme, screen.scale);
  }
  keyboard(screen);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::Begin("stepscope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse);
  const float head = screen.px(kTop);
  const float strip = screen.px(kStrip);
  const float right = std::min(screen.px(kDetails), size.x * 0.35F);
  const float tabs = std::min(screen.px(kTabs), size.y * 0.3F);
  const float middle = size.y - head - strip - tabs;
  const float pad = screen.px(8);
  top(screen, size.x);
  part("strip", {0, head}, {size.x - right, strip}, [&] { draw_steps_strip(screen); });
  part("timeline", {0, head + strip}, {size.x - right, middle}, [&] { draw_timeline(screen); });
  ImGui::SetCursorPos({size.x - right + pad, head});
  ImGui::BeginChild("details", {right - 2 * pad, middle + strip});
  draw_details(screen);
  ImGui::EndChild();
  part("tabs", {pad, head + strip + middle + pad / 2}, {size.x - 2 * pad, tabs - pad},
       [&] { draw_tabs(screen); });
  ImGui::End();
  if (screen.session.keys_shown) draw_keys(screen, size);
}

}  // namespace stepscope::viewer
