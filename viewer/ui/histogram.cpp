// SPDX-License-Identifier: Apache-2.0
// How long the calls of the chosen kernel take, in both runs over the same bins. Where the runs
// made different numbers of calls, the bars are shares of each run's own.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

std::string length_text(std::int64_t ns) {
  return format_duration(static_cast<double>(ns));
}

ImU32 colour_of_side(const Theme& theme, std::size_t side) {
  return side == 0 ? theme.accent : theme.mark;
}

void spread_line(const Theme& theme, const KernelLengths& kernel, std::size_t side) {
  const LengthSpread& s = kernel.sides[side];
  const char* const name = kernel.sides.size() < 2 ? "" : side == 0 ? "A  " : "B  ";
  ImGui::PushStyleColor(ImGuiCol_Text, colour_of_side(theme, side));
  if (s.count == 0) {
    ImGui::Text("%snot called in the counted steps", name);
  } else {
    ImGui::TextUnformatted(fmt::format("{}{} calls, sum {}: min {}, p50 {}, p99 {}, max {}", name,
                                       s.count, length_text(s.sum_ns), length_text(s.min_ns),
                                       length_text(s.p50_ns), length_text(s.p99_ns),
                                       length_text(s.max_ns))
                               .c_str());
  }
  ImGui::PopStyleColor();
}

double share(const KernelLengths& kernel, std::size_t side, std::size_t bin) {
  const auto count = static_cast<double>(std::max<std::uint64_t>(1, kernel.sides[side].count));
  return static_cast<double>(kernel.histogram.counts[side][bin]) / count;
}

}  // namespace

void draw_histogram(Screen& screen) {
  const KernelLengths& kernel = *screen.desk.kernel();
  ImGui::TextUnformatted(shortened(short_kernel_name(kernel.name), 90).c_str());
  for (std::size_t side = 0; side < kernel.sides.size(); ++side)
    spread_line(screen.theme, kernel, side);
  if (kernel.histogram.edges.empty()) return;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float bottom = from.y + room.y - ImGui::GetFontSize() - screen.px(4);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::size_t bins = kernel.histogram.counts.front().size();
  double most = 0;
  for (std::size_t side = 0; side < kernel.sides.size(); ++side) {
    for (std::size_t bin = 0; bin < bins; ++bin) most = std::max(most, share(kernel, side, bin));
  }
  const float width = room.x / static_cast<float>(bins);
  const ImVec2 mouse = ImGui::GetMousePos();
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const float left = from.x + width * static_cast<float>(bin);
    std::string counts;
    for (std::size_t side = 0; side < kernel.sides.size(); ++side) {
      const auto height = static_cast<float>(share(kernel, side, bin) / most) * (bottom - from.y);
      const float bar = (width - 1) / static_cast<float>(kernel.sides.size());
      const float x = left + bar * static_cast<float>(side);
      list.AddRectFilled({x, bottom - height}, {x + bar, bottom},
                         colour_of_side(screen.theme, side));
      counts += fmt::format("{}{}", side > 0 ? ", " : "", kernel.histogram.counts[side][bin]);
    }
    if (ImGui::IsWindowHovered() && mouse.x >= left && mouse.x < left + width && mouse.y > from.y)
      ImGui::SetTooltip("%s to %s: %s calls", length_text(kernel.histogram.edges[bin]).c_str(),
                        length_text(kernel.histogram.edges[bin + 1]).c_str(), counts.c_str());
  }
  list.AddText({from.x, bottom + screen.px(2)}, screen.theme.dim,
               length_text(kernel.histogram.edges.front()).c_str());
  const std::string end = length_text(kernel.histogram.edges.back());
  list.AddText({from.x + room.x - ImGui::CalcTextSize(end.c_str()).x, bottom + screen.px(2)},
               screen.theme.dim, end.c_str());
}

}  // namespace stepscope::viewer
