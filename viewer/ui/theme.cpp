// SPDX-License-Identifier: Apache-2.0
#include "viewer/ui/theme.hpp"

#include <array>

#include "viewer/imgui_compat.hpp"

namespace stepscope::viewer {
namespace {

constexpr ImU32 rgb(unsigned hex) {
  return IM_COL32((hex >> 16) & 255U, (hex >> 8) & 255U, hex & 255U, 255);
}

unsigned part(ImU32 colour, int shift) {
  return (colour >> shift) & 255U;
}

// Black or white, whichever has more contrast to it: they are equal at a luma of 118 of 255.
ImU32 text_on(ImU32 fill) {
  const unsigned light = 299 * part(fill, IM_COL32_R_SHIFT) + 587 * part(fill, IM_COL32_G_SHIFT) +
                         114 * part(fill, IM_COL32_B_SHIFT);
  return light > 118'000 ? rgb(0x101010) : rgb(0xffffff);
}

Pattern pattern_of(Cause cause) {
  if (is_device_busy(cause)) return Pattern::solid;
  if (is_unexplained(cause) || cause == Cause::profiler) return Pattern::cross;
  return is_host(cause) ? Pattern::hatch : Pattern::lines;
}

unsigned hue_of(HostKind kind) {
  switch (kind) {
    case HostKind::user_scope:
    case HostKind::nvtx_range:
      return 0x44aa99;
    case HostKind::python_function:
      return 0xcc6677;
    case HostKind::backward_node:
      return 0x5b8db8;
    case HostKind::runtime_call:
    case HostKind::driver_call:
      return 0xd98a3d;
    case HostKind::op:
      return 0x7da7c9;
    default:
      return 0x999999;
  }
}

unsigned hue_of_phase(std::uint32_t phase) {
  constexpr std::array<unsigned, 8> kHues = {0x999999, 0x4477aa, 0xccbb44, 0x228833,
                                             0xaa3377, 0x66ccee, 0xee8866, 0x9970ab};
  return phase == 0 ? kHues[0] : kHues[1 + (phase - 1) % (kHues.size() - 1)];
}

}  // namespace

Paint Theme::paint(Cause cause) const {
  const ImU32 fill = rgb(traits_of(cause).hue);
  return {fill, text_on(fill), pattern_of(cause)};
}

Paint Theme::paint(const Look& look) const {
  const auto solid = [](unsigned hue) { return Paint{rgb(hue), text_on(rgb(hue))}; };
  switch (look.by) {
    case Look::By::cause:
      return paint(static_cast<Cause>(look.index));
    case Look::By::phase:
      return solid(hue_of_phase(look.index));
    case Look::By::host_kind:
      return solid(hue_of(static_cast<HostKind>(look.index)));
    case Look::By::wait:
      return {rgb(0xb8b8b8), rgb(0x101010), Pattern::hatch};
    case Look::By::step:
      break;
  }
  Paint paint = light ? solid(look.index == 0 ? 0xc9d3df : 0xb3c1d1)
                      : solid(look.index == 0 ? 0x4a5766 : 0x5d6c7d);
  if (look.faint) paint.pattern = Pattern::lines;
  return paint;
}

Theme make_theme(bool light) {
  Theme t;
  t.light = light;
  t.background = rgb(light ? 0xffffff : 0x16191d);
  t.lane = rgb(light ? 0xf6f7f9 : 0x1b1f24);
  t.lane_other = rgb(light ? 0xeef0f3 : 0x21262c);
  t.panel = rgb(light ? 0xf0f2f5 : 0x1f2429);
  t.grid = light ? IM_COL32(0, 0, 0, 28) : IM_COL32(255, 255, 255, 26);
  t.text = rgb(light ? 0x15191e : 0xe8ebee);
  t.dim = rgb(light ? 0x5a6470 : 0x9aa5b1);
  t.accent = rgb(light ? 0x0b5cad : 0x6cb6ff);
  t.tab = rgb(light ? 0xa9cbf0 : 0x285e96);
  t.selection = rgb(light ? 0x000000 : 0xffffff);
  t.mark = rgb(light ? 0x9c2f7a : 0xf0a3d0);
  t.mark_text = rgb(light ? 0xffffff : 0x101010);
  t.hatch = IM_COL32(0, 0, 0, 80);
  return t;
}

void apply_style(const Theme& theme, float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  if (theme.light) {
    ImGui::StyleColorsLight(&style);
  } else {
    ImGui::StyleColorsDark(&style);
  }
  const auto set = [&](ImGuiCol which, ImU32 colour) {
    style.Colors[which] = ImGui::ColorConvertU32ToFloat4(colour);
  };
  set(ImGuiCol_WindowBg, theme.background);
  set(ImGuiCol_ChildBg, theme.background);
  set(ImGuiCol_PopupBg, theme.panel);
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.dim);
  set(ImGuiCol_FrameBg, theme.lane_other);
  set(ImGuiCol_Border, theme.dim);
  set(ImGuiCol_Tab, theme.lane_other);
  set(ImGuiCol_TabHovered, theme.tab);
  set(kSelectedTab, theme.tab);
  set(ImGuiCol_TableHeaderBg, theme.lane_other);
  set(ImGuiCol_TableRowBgAlt, theme.lane);
  style.WindowPadding = {8, 6};
  style.CellPadding = {6, 2};
  style.WindowBorderSize = 0;
  style.FrameRounding = 3;
  style.FrameBorderSize = 1;
  style.ScaleAllSizes(scale);
}

}  // namespace stepscope::viewer
