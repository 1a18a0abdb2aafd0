// SPDX-License-Identifier: Apache-2.0
#include "viewer/app/window.hpp"

#include <dlfcn.h>
#include <imgui.h>

#include <array>
#include <filesystem>
#include <string>

namespace stepscope::viewer {
namespace {

constexpr float kFontSize = 14;

// Latin, Greek, Cyrillic, and the marks that names and sentences use.
constexpr std::array<ImWchar, 11> kGlyphs = {0x20,   0x24f,  0x370,  0x52f,  0x2010, 0x2044,
                                             0x2190, 0x21ff, 0x2200, 0x22ff, 0};

// Packages carry the font beside the module that this code is linked into.
std::string font_beside_module() {
  Dl_info module;
  if (dladdr(reinterpret_cast<const void*>(&font_beside_module), &module) == 0) return {};
  return std::filesystem::path(module.dli_fname).replace_filename("DejaVuSans.ttf");
}

// DejaVu Sans; without it ImGui's own bitmap font, which has no accents.
void add_font(float scale) {
  const std::array<std::string, 4> paths = {
      font_beside_module(), "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
      "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf", "/usr/share/fonts/TTF/DejaVuSans.ttf"};
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    fonts.AddFontFromFileTTF(path.c_str(), kFontSize * scale, nullptr, kGlyphs.data());
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
