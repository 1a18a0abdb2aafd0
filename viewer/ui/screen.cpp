// SPDX-License-Identifier: Apache-2.0
#include "viewer/ui/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/report/wording/diff_words.hpp"
#include "core/report/wording/step_scale.hpp"
#include "core/report/wording/verdict.hpp"
#include "viewer/imgui_compat.hpp"

namespace stepscope::viewer {
namespace {

constexpr float kTop = 74;
constexpr float kStrip = 46;
constexpr float kMinimap = 20;
constexpr float kLegend = 22;
constexpr float kSearch = 300;
constexpr float kRanks = 150;
constexpr float kBesideSearch = 92;
constexpr float kDetails = 400;
constexpr float kTabs = 240;
constexpr float kLeastPanel = 90;
constexpr float kSplitter = 6;
constexpr float kMostShare = 0.6F;  // largest share of the window that a panel takes

// Handles the keyboard. While a text field has it, keys are text, but for Esc and the keys with
// Ctrl.
void keyboard(Screen& screen) {
  const ImGuiIO& io = ImGui::GetIO();
  const auto apply = [&](const char* name) { screen.desk.apply(*command_named(name)); };
  if (io.KeyCtrl && control_pressed('P')) apply("Ctrl+P");
  if (io.KeyCtrl && control_pressed('Q')) apply("Ctrl+Q");
  if (io.WantTextInput) {
    if (screen.desk.palette_shown && key_pressed(ImGuiKey_Escape)) apply("Esc");
    return;
  }
  if (io.KeyCtrl && control_pressed('C')) apply("Ctrl+C");
  for (int i = 0; i < io.InputQueueCharacters.Size; ++i) {
    const ImWchar typed = io.InputQueueCharacters[i];
    if (typed >= 128) continue;
    if (const auto command = command_of(static_cast<char>(typed))) screen.desk.apply(*command);
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
    apply(key.name);
    if (screen.desk.active().search_text().empty()) screen.search.clear();
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
  const float room = screen.px(kSearch);
  ImGui::SameLine(width - room - screen.px(kBesideSearch));
  if (screen.desk.search_wanted) ImGui::SetKeyboardFocusHere();
  screen.desk.search_wanted = false;
  ImGui::SetNextItemWidth(room);
  const bool entered = ImGui::InputTextWithHint("##search", "/ search by name", &screen.search,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemEdited()) {
    for (std::size_t i = 0; i < screen.desk.sides(); ++i) screen.desk.side(i).search(screen.search);
  }
  if (entered) screen.desk.apply(Command::next_match);
  ImGui::SameLine();
  if (screen.search.empty()) {
    ImGui::TextDisabled("? keys");
  } else {
    ImGui::TextDisabled("%llu", static_cast<unsigned long long>(screen.desk.active().matches()));
  }
}

// Chooses the rank whose steps are shown.
void rank_picker(Screen& screen) {
  const Run& run = screen.desk.active().run();
  if (run.ranks.rows.empty()) return;
  const auto label = [&](std::uint32_t i) {
    const std::string about = rank_note(run, i);
    return fmt::format("rank {}{}{}", run.ranks.rows[i].rank, about.empty() ? "" : ", ", about);
  };
  std::uint32_t shown = 0;
  while (shown + 1 < run.ranks.rows.size() && run.ranks.rows[shown].process != run.steps.process)
    ++shown;
  ImGui::SameLine();
  ImGui::SetNextItemWidth(screen.px(kRanks));
  if (!ImGui::BeginCombo("##rank", label(shown).c_str())) return;
  std::optional<std::int32_t> picked;
  for (std::uint32_t i = 0; i < run.ranks.rows.size(); ++i) {
    if (ImGui::Selectable(label(i).c_str(), i == shown)) picked = run.ranks.rows[i].rank;
  }
  ImGui::EndCombo();
  if (!picked) return;
  if (const Status done = screen.desk.pick_rank(*picked); !done)
    screen.desk.notice = done.error().message;
}

// Returns the room from the cursor to the search box, for text on its line.
float left_of_search(const Screen& screen, float width) {
  return width - screen.px(kSearch + kBesideSearch + 8) - ImGui::GetCursorPosX();
}

void one_run(Screen& screen, float width) {
  const Run& run = screen.desk.active().run();
  if (!run.is_analysed) return say_cut(run.trace.data().path, left_of_search(screen, width));
  const StepScale scale = scale_of(run.summary);
  ImGui::PushStyleColor(ImGuiCol_Text, screen.theme.accent);
  ImGui::TextUnformatted(verdict_label(scale).text.data());
  ImGui::PopStyleColor();
  ImGui::SameLine();
  const float picker = run.ranks.rows.empty() ? 0 : screen.px(kRanks);
  say_cut(step_time_text(scale), left_of_search(screen, width) - picker);
}

void say_dim(const Screen& screen, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, screen.theme.dim);
  say_cut(text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

// Says what the window still waits for.
void pending(const Screen& screen) {
  if (screen.desk.pending.empty()) return;
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, screen.theme.accent);
  ImGui::TextUnformatted(screen.desk.pending.c_str());
  ImGui::PopStyleColor();
}

void top(Screen& screen, float width) {
  const Desk& desk = screen.desk;
  const std::string& sentence = desk.notice.empty() ? desk.sentence() : desk.notice;
  if (const Comparison* comparison = desk.comparison()) {
    say_cut(sentence, left_of_search(screen, width));
    pending(screen);
    search_box(screen, width);
    say_dim(screen, "A  " + side_sentence(comparison->a));
    say_dim(screen, "B  " + side_sentence(comparison->b));
    return;
  }
  one_run(screen, width);
  rank_picker(screen);
  search_box(screen, width);
  const Run& run = desk.active().run();
  const RunFacts& facts = run.summary.run;
  const std::string ran = joined(what_ran(facts)) + "  ·  " + joined(where_it_ran(facts));
  say_dim(screen, run.is_analysed ? ran : "");
  say_wrapped(sentence);
  pending(screen);
}

// Draws the headline and returns its height. What stands below moves down where the sentence takes
// more lines than any before, never up again while the window is the same.
float head(Screen& screen, float width) {
  top(screen, width);
  const ImVec2 of = {width, screen.scale};
  const bool same = screen.head_of.x == of.x && screen.head_of.y == of.y;
  screen.head_of = of;
  screen.head = std::max({screen.px(kTop), ImGui::GetCursorPosY(), same ? screen.head : 0});
  return screen.head;
}

// A part of the screen as an ImGui child at its place.
template <class Draw>
void part(const char* name, ImVec2 at, ImVec2 size, Draw draw_it) {
  ImGui::SetCursorPos(at);
  ImGui::BeginChild(name, size, false, ImGuiWindowFlags_NoScrollWithMouse);
  draw_it();
  ImGui::EndChild();
}

// A panel's extent in pixels: as dragged, else its usual one, which leaves most of a small window
// to the timeline.
struct Panel {
  const char* name;
  std::optional<float>& dragged;
  float usual;
  float usual_share;  // largest share of the window

  float extent(const Screen& screen, float room) const {
    if (!dragged) return std::min(screen.px(usual), room * usual_share);
    return std::clamp(screen.px(*dragged), std::min(screen.px(kLeastPanel), room * kMostShare),
                      room * kMostShare);
  }
};

// Between the timeline and a panel that lies right of it or below: dragged, the panel grows by what
// the mouse went left or up; a double click gives it its usual size again.
void splitter(const Screen& screen, const Panel& panel, ImVec2 at, ImVec2 size, float extent) {
  const bool upright = size.y > size.x;
  ImGui::SetCursorPos(at);
  ImGui::InvisibleButton(panel.name, size);
  if (!ImGui::IsItemHovered() && !ImGui::IsItemActive()) return;
  ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
                                            screen.theme.grid);
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  const float by = upright ? moved.x : moved.y;
  if (ImGui::IsItemActive() && by != 0) panel.dragged = (extent - by) / screen.scale;
  if (ImGui::IsMouseDoubleClicked(0)) panel.dragged.reset();
}

// Forgets the results of a run that is no longer shown.
void forget_replaced_runs(Screen& screen) {
  if (screen.panes_of_generation == screen.desk.generation()) return;
  screen.panes.assign(screen.desk.sides(), {});
  screen.panes_of_generation = screen.desk.generation();
}

void panes(Screen& screen, ImVec2 at, ImVec2 size) {
  const std::size_t sides = screen.desk.sides();
  const float strip = screen.px(kStrip);
  const float each = size.y / static_cast<float>(sides);
  screen.rectangles = 0;
  screen.on_screen = {};
  for (std::size_t i = 0; i < sides; ++i) {
    const float y = at.y + each * static_cast<float>(i);
    const std::string id = std::to_string(i);
    part(("strip" + id).c_str(), {at.x, y}, {size.x, strip}, [&] { draw_steps_strip(screen, i); });
    part(("timeline" + id).c_str(), {at.x, y + strip}, {size.x, each - strip},
         [&] { draw_timeline(screen, i); });
  }
}

}  // namespace

void draw(Screen& screen, ImVec2 size) {
  if (screen.theme.light != screen.desk.light) {
    screen.theme = make_theme(screen.desk.light);
    apply_style(screen.theme, screen.scale);
  }
  keyboard(screen);
  forget_replaced_runs(screen);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::Begin("stepscope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse);
  const float below_head = head(screen, size.x);
  const float map = screen.px(kMinimap);
  const float legend = screen.px(kLegend);
  PanelSizes& dragged = screen.desk.panels;
  const Panel details{"width of the details", dragged.details_width, kDetails, 0.35F};
  const Panel tables{"height of the tables", dragged.tables_height, kTabs, 0.3F};
  const float right = details.extent(screen, size.x);
  const float tabs = tables.extent(screen, size.y);
  const float middle = size.y - below_head - map - legend - tabs;
  const float map_at = below_head + middle;
  const float tabs_at = map_at + map + legend;
  const float pad = screen.px(8);
  panes(screen, {0, below_head}, {size.x - right, middle});
  part("minimap", {0, map_at}, {size.x - right, map}, [&] { draw_minimap(screen); });
  ImGui::SetCursorPos({size.x - right + pad, below_head});
  ImGui::BeginChild("details", {right - 2 * pad, middle + map});
  draw_details(screen);
  ImGui::EndChild();
  part("legend", {0, map_at + map}, {size.x, legend}, [&] { draw_legend(screen); });
  part("tabs", {pad, tabs_at + pad / 2}, {size.x - 2 * pad, tabs - pad},
       [&] { draw_tabs(screen); });
  const float grip = screen.px(kSplitter);
  splitter(screen, details, {size.x - right + 1, below_head}, {grip, middle + map}, right);
  splitter(screen, tables, {0, tabs_at}, {size.x, grip}, tabs);
  ImGui::End();
  if (screen.desk.keys_shown) draw_keys(screen, size);
  if (screen.desk.palette_shown) draw_palette(screen, size);
  screen.desk.follow();
}

}  // namespace stepscope::viewer
