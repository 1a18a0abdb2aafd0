// SPDX-License-Identifier: Apache-2.0
// The steps strip, the details of the selected event, and the list of keys.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

std::string duration_text(std::int64_t ns) {
  return format_duration(static_cast<double>(ns));
}

// Long steps would flatten the others: the strip ends at three times the median.
std::int64_t strip_top(const Summary& summary) {
  std::int64_t most = 1;
  for (const Step& step : summary.steps.list) most = std::max(most, step.wall_ns());
  const std::int64_t p50 = summary.partition.p50_ns;
  return p50 > 0 ? std::min(most, 3 * p50) : most;
}

// "A ", "B "; nothing for one run.
std::string side_name(const Desk& desk, std::size_t side) {
  if (desk.sides() < 2) return "";
  return side == 0 ? "A  " : "B  ";
}

void detail_row(Screen& screen, std::size_t side, const Detail& detail) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", detail.what.c_str());
  ImGui::TableNextColumn();
  if (!detail.to) {
    say_wrapped(detail.value);
  } else {
    ImGui::PushStyleColor(ImGuiCol_Text, screen.theme.accent);
    say_wrapped(detail.value);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsItemClicked()) {
      screen.desk.activate(side);
      screen.desk.active().select(*detail.to);
    }
  }
}

void event_details(Screen& screen, std::size_t side) {
  const Session& session = screen.desk.side(side);
  Pane& pane = screen.panes[side];
  const auto event = session.selected_event();
  if (!event) {
    ImGui::TextDisabled("Click an event to see what it is.");
    return;
  }
  if (pane.described != event) {
    pane.details = details_of(session.run(), *event);
    pane.described = event;
  }
  say_wrapped(side_name(screen.desk, side) + label_of(session.run(), *event));
  ImGui::Separator();
  if (!ImGui::BeginTable(side == 0 ? "details" : "details of B", 2)) return;
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, screen.px(104));
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  for (const Detail& detail : std::vector<Detail>(pane.details)) detail_row(screen, side, detail);
  ImGui::EndTable();
}

}  // namespace

void draw_steps_strip(Screen& screen, std::size_t side) {
  Session& session = screen.desk.side(side);
  const Summary& summary = session.run().summary;
  const std::vector<Step>& steps = summary.steps.list;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, {from.x + size.x, from.y + size.y}, screen.theme.panel);
  const float left = from.x + screen.px(210);
  const auto p50 = static_cast<double>(summary.partition.p50_ns);
  list.AddText({from.x + screen.px(8), from.y + screen.px(4)}, screen.theme.text,
               !session.run().is_analysed ? "steps follow"
               : summary.steps.found_by == FoundBy::whole_trace
                   ? "no steps"
                   : fmt::format("{}{} steps", side_name(screen.desk, side), steps.size()).c_str());
  if (!session.run().is_analysed) return;
  list.AddText({from.x + screen.px(8), from.y + screen.px(6) + ImGui::GetFontSize()},
               screen.theme.dim, fmt::format("p50 {}", format_duration(p50)).c_str());
  if (steps.empty()) return;
  const auto top = static_cast<float>(strip_top(summary));
  const float width =
      std::min(screen.px(48), (from.x + size.x - left) / static_cast<float>(steps.size()));
  const float bottom = from.y + size.y - screen.px(2);
  const float room = size.y - screen.px(6);
  std::vector<bool> counted(steps.size());
  for (const std::uint32_t row : summary.counted) counted[row] = true;
  const ImVec2 mouse = ImGui::GetMousePos();
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const float x = left + width * static_cast<float>(i);
    const float share = static_cast<float>(steps[i].wall_ns()) / top;
    const float height = std::max(screen.px(2), room * std::min(1.0F, share));
    Paint paint = screen.theme.paint(Look{Look::By::step, !counted[i], 1});
    if (session.step() == i) paint.fill = screen.theme.accent;
    draw_box(list, screen.theme, paint, {x, bottom - height},
             {x + std::max(1.0F, width - screen.px(1)), bottom}, screen.scale);
    // Longer than the strip is high: the bar is broken.
    if (share > 1)
      list.AddRectFilled({x, bottom - height + screen.px(4)},
                         {x + width, bottom - height + screen.px(6)}, screen.theme.panel);
    const bool over = ImGui::IsWindowHovered() && mouse.x >= x && mouse.x < x + width;
    if (!over) continue;
    ImGui::SetTooltip("step %lld: %s%s%s", static_cast<long long>(steps[i].id),
                      duration_text(steps[i].wall_ns()).c_str(),
                      counted[i] ? "" : ", not counted: ", steps[i].why_not_steady.c_str());
    if (ImGui::IsMouseClicked(0)) screen.desk.go_to_step(side, i);
  }
  if (p50 <= 0) return;
  const float y = bottom - room * static_cast<float>(p50) / top;
  list.AddLine({left, y}, {left + width * static_cast<float>(steps.size()), y}, screen.theme.text,
               std::max(1.0F, screen.px(1)));
}

// Draws the selections: for two runs both, that of the side which was touched last first.
void draw_details(Screen& screen) {
  draw_range(screen);
  const Desk& desk = screen.desk;
  event_details(screen, desk.active_side());
  for (std::size_t side = 0; side < desk.sides(); ++side) {
    if (side == desk.active_side() || !desk.side(side).selected()) continue;
    ImGui::Spacing();
    ImGui::Separator();
    event_details(screen, side);
  }
}

void draw_keys(Screen& screen, ImVec2 size) {
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::Begin("Keys", &screen.desk.keys_shown,
               ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse);
  ImGui::BeginTable("keys", 2);
  const auto line = [](const char* key, const char* about) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(key);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(about);
  };
  for (const KeyBinding& binding : key_bindings()) {
    if (!binding.only_two || screen.desk.sides() == 2) line(binding.text().c_str(), binding.about);
  }
  line("wheel", "zoom where the mouse is; Ctrl finer, Shift faster");
  line("right drag, Shift + drag", "move");
  line("middle drag", "zoom to the range; Ctrl: out");
  line("left drag", "measure a range, snapping to edges; Alt does not snap");
  line("click, double click", "select; and show in full width");
  line("click on a lane's name", "fold or unfold its rows; its right end pins and hides it");
  line("click, drag in the small picture of the run", "go there; the wheel zooms");
  ImGui::EndTable();
  ImGui::End();
}

}  // namespace stepscope::viewer
