// SPDX-License-Identifier: Apache-2.0
#include "viewer/app/gui.hpp"

#include <imgui.h>

#include <array>
#include <filesystem>

namespace stepscope::viewer {
namespace {

constexpr float kFontSize = 14;

// Latin, Greek, Cyrillic, and the marks that names and sentences use.
constexpr std::array<ImWchar, 11> kGlyphs = {0x20,   0x24f,  0x370,  0x52f,  0x2010, 0x2044,
                                             0x2190, 0x21ff, 0x2200, 0x22ff, 0};

// The distribution's DejaVu Sans; without it ImGui's own bitmap font, which has no accents.
void add_font(float scale) {
  constexpr std::array<const char*, 3> kPaths = {
      "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
      "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf", "/usr/share/fonts/TTF/DejaVuSans.ttf"};
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  for (const char* path : kPaths) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    fonts.AddFontFromFileTTF(path, kFontSize * scale, nullptr, kGlyphs.data());
    return;
  }
  ImFontConfig config;
  config.SizePixels = 13 * scale;
  fonts.AddFontDefault(&config);
}

}  // namespace

Gui::Gui(float scale) {
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  add_font(scale);
}

void Gui::set_scale(float scale) {
  ImGui::GetIO().Fonts->Clear();
  add_font(scale);
}

Gui::~Gui() {
  ImGui::DestroyContext();
}

}  // namespace stepscope::viewer
