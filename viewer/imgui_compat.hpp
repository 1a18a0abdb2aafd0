// SPDX-License-Identifier: Apache-2.0
// What differs between Dear ImGui 1.86 (Debian 12) and 1.92: the only file that asks for a version.
#pragma once

#include <imgui.h>

// Debian's place, then upstream's.
#if __has_include(<imgui_stdlib.h>)
#include <imgui_stdlib.h>
#else
#include <misc/cpp/imgui_stdlib.h>
#endif

namespace stepscope::viewer {

// Named keys; printable ones come as characters, which are the same in every version.
inline bool key_pressed(ImGuiKey key) {
#if IMGUI_VERSION_NUM < 18700
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key));
#else
  return ImGui::IsKeyPressed(key);
#endif
}

// Input as a test or a script sends it.
inline void send_mouse(ImVec2 at, bool left_down, float wheel = 0) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
  io.MousePos = at;
  io.MouseDown[0] = left_down;
  io.MouseWheel = wheel;
#else
  io.AddMousePosEvent(at.x, at.y);
  io.AddMouseButtonEvent(0, left_down);
  if (wheel != 0) io.AddMouseWheelEvent(0, wheel);
#endif
}

}  // namespace stepscope::viewer
