// SPDX-License-Identifier: Apache-2.0
// The tables below the timeline: viewer/view/tables/table.hpp drawn, sorted, filtered and copied.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/report/wording/findings.hpp"
#include "core/support/duration.hpp"
#include "viewer/imgui_compat.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

constexpr ImGuiTableFlags kTable = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                                   ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable |
                                   ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
constexpr const char* kTrust = "Trust";
constexpr const char* kKernels = "Kernels";
constexpr const char* kFindings = "What to do";

// Numbers stand at the right of their column.
void number(const std::string& text) {
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  ImGui::TextUnformatted(text.c_str());
}

float swatch_width() {
  return 1.6F * ImGui::GetFontSize();
}

void swatch(const Screen& screen, Cause cause) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = {swatch_width(), ImGui::GetFontSize()};
  draw_box(*ImGui::GetWindowDrawList(), screen.theme, screen.theme.paint(cause), at,
           {at.x + size.x, at.y + size.y}, screen.scale);
  ImGui::Dummy(size);
  ImGui::SameLine();
}

bool is_chosen(const Desk& desk, const TableRow& row) {
  if (row.action == RowAction::show_group) return desk.chosen_group() == row.index;
  if (row.action == RowAction::show_finding) return desk.chosen_finding() == row.index;
  if (row.action == RowAction::choose_kernel)
    return desk.kernel() && desk.kernel()->name == row.text;
  return false;
}

// Text that its column cuts off is said whole under the mouse.
void cell(const Screen& screen, const std::string& text) {
  const float room = ImGui::GetContentRegionAvail().x;
  const bool cut = text_width(text) > room;
  say_cut(text, room);
  if (!cut || !ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(screen.px(640));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// True where the row was clicked.
bool draw_table_row(const Screen& screen, const Table& table, const TableRow& row, int id) {
  ImGui::TableNextRow();
  bool clicked = false;
  const std::size_t named = named_column(table);
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    ImGui::TableNextColumn();
    if (i == 0 && row.action != RowAction::nothing) {
      ImGui::PushID(id);
      clicked = ImGui::Selectable("##row", is_chosen(screen.desk, row),
                                  ImGuiSelectableFlags_SpanAllColumns);
      ImGui::PopID();
      ImGui::SameLine(0, 0);
    }
    if (i == named && row.swatch) swatch(screen, *row.swatch);
    if (table.columns[i].number) {
      number(row.cells[i].text);
    } else {
      cell(screen, row.cells[i].text);
    }
  }
  return clicked;
}

void sort_by_header(Table& table) {
  const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || specs->SpecsCount == 0) return;
  sort_by(table, static_cast<std::size_t>(specs->Specs[0].ColumnIndex),
          specs->Specs[0].SortDirection == ImGuiSortDirection_Descending);
}

// ImGui gives columns their widths when it sees a table first, then keeps what the user made of
// them. Where the room is much another one, or the table says something else, it is another table.
bool begin_table(Screen& screen, const Table& table) {
  constexpr float kSameRoom = 64;
  const ImGuiStyle& style = ImGui::GetStyle();
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string id = fmt::format("{} {} {} {:.0f}", table.title, screen.tables_made,
                                     screen.scale, room / screen.px(kSameRoom));
  const auto columns = static_cast<int>(table.columns.size());
  auto known = screen.column_widths.find(id);
  if (known == screen.column_widths.end()) {
    const float between = static_cast<float>(columns) * (2 * style.CellPadding.x + 1);
    known = screen.column_widths
                .emplace(id, column_widths(table, room - style.ScrollbarSize - between,
                                           swatch_width() + style.ItemSpacing.x, text_width))
                .first;
  }
  if (!ImGui::BeginTable(id.c_str(), columns, kTable)) return false;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    ImGui::TableSetupColumn(table.columns[i].title.c_str(), ImGuiTableColumnFlags_WidthStretch,
                            known->second[i]);
  return true;
}

// Draws the rows that match; what was clicked is done afterwards, since it may replace the table.
void draw_rows(Screen& screen, Table table) {
  if (table.rows.empty()) {
    ImGui::TextDisabled("%s", table.empty.c_str());
    return;
  }
  if (!begin_table(screen, table)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  sort_by_header(table);
  const TableRow* clicked = nullptr;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(table.rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const TableRow& row = table.rows[static_cast<std::size_t>(i)];
      if (draw_table_row(screen, table, row, i)) clicked = &row;
    }
  }
  ImGui::EndTable();
  if (clicked != nullptr) act(screen.desk, *clicked);
}

void say_named(const char* what, const std::string& text) {
  if (text.empty()) return;
  ImGui::TextDisabled("%s", what);
  ImGui::SameLine();
  say_wrapped(text);
}

// All of the chosen finding, of the first where none is: what to do, what would show that it is
// wrong, its events.
void finding_text(Screen& screen) {
  const auto& findings = screen.desk.active().run().summary.findings;
  const std::size_t chosen = screen.desk.chosen_finding().value_or(0);
  if (!findings || chosen >= findings->found.size()) return;
  const Finding& finding = findings->found[chosen];
  say_wrapped(finding.id + ": " + finding.title);
  say_named("do", finding.fix);
  say_named("code", finding.code_hint);
  say_named("shows as", finding.shows_as);
  say_named("wrong if", finding.falsified_by);
  ImGui::PushStyleColor(ImGuiCol_Text, screen.theme.dim);
  say_wrapped(certainty_text(finding.certainty));
  ImGui::PopStyleColor();
  for (const std::string& id : finding.evidence) {
    const auto event = event_named(screen.desk.active().run(), id);
    if (!event) continue;
    ImGui::PushStyleColor(ImGuiCol_Text, screen.theme.accent);
    const Run& run = screen.desk.active().run();
    const auto length = static_cast<double>(time_of(run, *event).length());
    say_wrapped(format_duration(length) + "  " + label_of(run, *event));
    ImGui::PopStyleColor();
    if (ImGui::IsItemClicked()) screen.desk.active().jump(*event);
  }
  if (!screen.desk.chosen_finding())
    ImGui::TextDisabled("Click a finding: the timeline goes to what shows it.");
}

// The table at the left, what belongs to its chosen row at the right.
template <class Beside>
void beside(Screen& screen, const Table& table, float share, Beside draw_beside) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::BeginChild("left", {room.x * share, room.y});
  draw_rows(screen, table);
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("beside", {0, room.y});
  draw_beside();
  ImGui::EndChild();
}

void sentences(const Table& table) {
  ImGui::BeginChild("sentences");
  for (const TableRow& row : table.rows) say_wrapped(row.cells[0].text);
  ImGui::EndChild();
}

// The meaning of the rows in the table of kernels.
void grouping(const Screen& screen) {
  constexpr std::array<const char*, 4> kNames = {"name and phase", "name", "class", "phase"};
  KernelGrouping& chosen = screen.desk.kernel_grouping;
  ImGui::SameLine();
  ImGui::TextDisabled("group by");
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    ImGui::SameLine();
    const bool on = chosen == static_cast<KernelGrouping>(i);
    if (ImGui::RadioButton(kNames[i], on)) chosen = static_cast<KernelGrouping>(i);
  }
}

void tools(Screen& screen, const Table& table) {
  ImGui::SetNextItemWidth(screen.px(260));
  ImGui::InputTextWithHint("##filter", "filter rows", &screen.filter);
  ImGui::SameLine();
  const bool asked = ImGui::Button("copy as text") || screen.desk.copy_wanted;
  screen.desk.copy_wanted = false;
  if (asked) {
    screen.copied = as_text(filtered(table, screen.filter));
    ImGui::SetClipboardText(screen.copied.c_str());
  }
  if (table.title == kKernels) grouping(screen);
  for (const std::string& note : table.notes) {
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, screen.theme.dim);
    say_cut(note, ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", note.c_str());
  }
}

void open_table(Screen& screen, const Table& table) {
  screen.open_tab = table.title;
  tools(screen, table);
  const Table shown = filtered(table, screen.filter);
  if (table.title == kTrust) return sentences(shown);
  if (table.title == kFindings && !table.rows.empty())
    return beside(screen, shown, 0.64F, [&] { finding_text(screen); });
  if (table.title == kKernels && screen.desk.kernel())
    return beside(screen, shown, 0.6F, [&] { draw_histogram(screen); });
  draw_rows(screen, shown);
}

// Built anew where the run, the side or its marks changed: a table of thousands of lines is not
// made in each frame.
void refresh(Screen& screen) {
  const Desk& desk = screen.desk;
  const bool same = screen.tables_of_revision == desk.revision() &&
                    screen.tables_of_side == desk.active_side() &&
                    screen.tables_of_marks == desk.active().marks().size() &&
                    screen.tables_of_grouping == desk.kernel_grouping;
  if (same) return;
  screen.tables = tables_of(desk);
  screen.tables_made += 1;
  screen.column_widths.clear();
  screen.tables_of_revision = desk.revision();
  screen.tables_of_side = desk.active_side();
  screen.tables_of_marks = desk.active().marks().size();
  screen.tables_of_grouping = desk.kernel_grouping;
}

}  // namespace

void draw_tabs(Screen& screen) {
  refresh(screen);
  if (screen.tables.empty()) return ImGui::TextDisabled("The tables follow.");
  if (!ImGui::BeginTabBar("tabs")) return;
  const std::string wanted = screen.tab;
  screen.tab.clear();
  for (std::size_t i = 0; i < screen.tables.size(); ++i) {
    const bool select = screen.tables[i].title == wanted;
    const ImGuiTabItemFlags flags = select ? ImGuiTabItemFlags_SetSelected : 0;
    if (!ImGui::BeginTabItem(screen.tables[i].title.c_str(), nullptr, flags)) continue;
    open_table(screen, screen.tables[i]);
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
}

}  // namespace stepscope::viewer
