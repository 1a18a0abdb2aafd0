// SPDX-License-Identifier: Apache-2.0
// What differs between Dear ImGui 1.86 (Debian 12) and 1.92: the only file that asks for a version.
#pragma once

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

// Debian's place, then upstream's.
#if __has_include(<imgui_stdlib.h>)
#include <imgui_stdlib.h>
#else
#include <misc/cpp/imgui_stdlib.h>
#endif

namespace stepscope::viewer {

#if IMGUI_VERSION_NUM < 19090
inline constexpr ImGuiCol kSelectedTab = ImGuiCol_TabActive;
#else
inline constexpr ImGuiCol kSelectedTab = ImGuiCol_TabSelected;
#endif

// Named keys; printable ones come as characters, which are the same in every version.
inline bool key_pressed(ImGuiKey key) {
#if IMGUI_VERSION_NUM < 18700
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key));
#else
  return ImGui::IsKeyPressed(key);
#endif
}

// A letter held with Ctrl, which gives no character. GLFW's code of a key is its capital letter.
inline bool control_pressed(char capital) {
#if IMGUI_VERSION_NUM < 18700
  return ImGui::IsKeyPressed(static_cast<int>(capital), false);
#else
  return ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_A + (capital - 'A')), false);
#endif
}

// After the fonts were replaced between frames. From 1.92 on the backend sees it by itself.
inline void renew_font_texture() {
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

// Input as a test or a script sends it.
inline void send_mouse(ImVec2 at, bool left_down, float wheel = 0, float sideways = 0) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
  io.MousePos = at;
  io.MouseDown[0] = left_down;
  io.MouseWheel = wheel;
  io.MouseWheelH = sideways;
#else
  io.AddMousePosEvent(at.x, at.y);
  io.AddMouseButtonEvent(0, left_down);
  if (wheel != 0 || sideways != 0) io.AddMouseWheelEvent(sideways, wheel);
#endif
}

inline void send_button(int button, bool down) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().MouseDown[button] = down;
#else
  ImGui::GetIO().AddMouseButtonEvent(button, down);
#endif
}

struct Modifiers {
  bool control = false;
  bool shift = false;
  bool alt = false;
};
inline void send_modifiers(Modifiers held) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
  io.KeyCtrl = held.control;
  io.KeyShift = held.shift;
  io.KeyAlt = held.alt;
#else
  io.AddKeyEvent(ImGuiMod_Ctrl, held.control);
  io.AddKeyEvent(ImGuiMod_Shift, held.shift);
  io.AddKeyEvent(ImGuiMod_Alt, held.alt);
#endif
}

// A named key. Backends of 1.86 fill KeyMap; a test without one calls map_keys() first.
inline void send_key(ImGuiKey key, bool down) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().KeysDown[ImGui::GetIO().KeyMap[key]] = down;
#else
  ImGui::GetIO().AddKeyEvent(key, down);
#endif
}
inline void send_letter(char capital, bool down) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().KeysDown[static_cast<unsigned char>(capital)] = down;
#else
  ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(ImGuiKey_A + (capital - 'A')), down);
#endif
}
inline void map_keys() {
#if IMGUI_VERSION_NUM < 18700
  // Above the letters, which stand for themselves.
  for (int key = 0; key < ImGuiKey_COUNT; ++key) ImGui::GetIO().KeyMap[key] = 300 + key;
#endif
}

}  // namespace stepscope::viewer
