// SPDX-License-Identifier: Apache-2.0
// The tables below the timeline: the same Summary, in the same words, as the text report.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "reports/wording/line_groups.hpp"
#include "reports/wording/names.hpp"
#include "reports/wording/step_scale.hpp"
#include "reports/wording/tables.hpp"
#include "reports/wording/trust.hpp"
#include "viewer/imgui_compat.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

constexpr ImGuiTableFlags kTable = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                                   ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable;

void cell(const std::string& text) {
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(text.c_str());
}

// Numbers stand at the right of their column.
void number(const std::string& text) {
  ImGui::TableNextColumn();
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  ImGui::TextUnformatted(text.c_str());
}

struct Column {
  const char* title;
  float width;  // 0: what is left
};

bool begin(const Screen& screen, const char* id, const std::vector<Column>& columns,
           ImGuiTableFlags more = 0) {
  if (!ImGui::BeginTable(id, static_cast<int>(columns.size()), kTable | more)) return false;
  for (const Column& column : columns) {
    ImGui::TableSetupColumn(
        column.title,
        column.width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
        screen.px(column.width));
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  return true;
}

void swatch(const Screen& screen, Cause cause) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = ImGui::GetFontSize();
  draw_box(*ImGui::GetWindowDrawList(), screen.theme, screen.theme.paint(cause), at,
           {at.x + 1.6F * side, at.y + side}, screen.scale);
  ImGui::Dummy({1.6F * side, side});
  ImGui::SameLine();
}

void owners(const Screen& screen, const StepScale& scale) {
  const std::string time = scale.time_title();
  if (!begin(screen, "owners", {{"owner", 230}, {time.c_str(), 90}, {"share", 80}, {"what", 0}}))
    return;
  for (const PartSum& part : scale.summary.partition.parts) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    swatch(screen, part.cause);
    ImGui::TextUnformatted(name_of(part.cause).data());
    number(scale.time(part.ns_total));
    number(scale.share(part.ns_total));
    cell(cause_meaning(scale, part.cause));
  }
  ImGui::TableNextRow();
  cell("= wall time");
  number(scale.time(scale.summary.partition.wall_ns_total));
  number(scale.share(scale.summary.partition.wall_ns_total));
  ImGui::EndTable();
}

void phases(const Screen& screen, const StepScale& scale) {
  const std::string time = scale.time_title();
  if (!begin(screen, "phases",
             {{"phase", 0},
              {time.c_str(), 90},
              {"share", 80},
              {"calls", 80},
              {"GPU busy", 90},
              {"no compute", 90}}))
    return;
  for (const PhaseRow& row : scale.summary.phases) {
    ImGui::TableNextRow();
    cell(std::string(std::size_t{3} * row.depth, ' ') + row.name + " " + phase_period_text(row));
    number(scale.time(row.wall_ns_total));
    number(scale.share(row.wall_ns_total));
    number(scale.calls(row.calls_total));
    number(scale.time(row.gpu_busy_ns_total));
    number(scale.time(row.exposed_ns_total));
  }
  ImGui::EndTable();
}

bool matches(std::string_view name, std::string_view filter) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(name.begin(), name.end(), filter.begin(), filter.end(), same) != name.end();
}

// Sorted by the column that was clicked; as the report has them (by time) at first.
void sort(std::vector<const KernelRow*>& rows) {
  const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || specs->SpecsCount == 0) return;
  const int column = specs->Specs[0].ColumnIndex;
  const bool down = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  const auto less = [&](const KernelRow* a, const KernelRow* b) {
    if (column == 0) return short_kernel_name(a->name) < short_kernel_name(b->name);
    if (column == 2) return a->calls_total < b->calls_total;
    if (column == 3) return a->cause < b->cause;
    if (column == 4) return a->phase < b->phase;
    return a->ns_total < b->ns_total;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const KernelRow* a, const KernelRow* b) {
    return down ? less(b, a) : less(a, b);
  });
}

void kernels(Screen& screen, const StepScale& scale) {
  ImGui::SetNextItemWidth(screen.px(300));
  ImGui::InputTextWithHint("##filter", "filter by name, class or phase", &screen.kernel_filter);
  const std::string time = scale.time_title();
  if (!begin(screen, "kernels",
             {{"device op", 0}, {time.c_str(), 90}, {"calls", 80}, {"class", 170}, {"phase", 170}},
             ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate))
    return;
  std::vector<const KernelRow*> rows;
  for (const KernelRow& row : scale.summary.kernels) {
    const std::string_view filter = screen.kernel_filter;
    if (matches(row.name, filter) || matches(name_of(row.cause), filter) ||
        matches(row.phase, filter))
      rows.push_back(&row);
  }
  sort(rows);
  for (const KernelRow* row : rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    swatch(screen, row->cause);
    const std::string name = short_kernel_name(row->name) + "##" + row->name + row->phase;
    if (ImGui::Selectable(name.c_str(), false, ImGuiSelectableFlags_SpanAllColumns)) {
      screen.search = row->name;
      screen.session.search(row->name);
      screen.session.apply(Command::next_match);
    }
    number(scale.time(row->ns_total));
    number(scale.calls(row->calls_total));
    cell(std::string(name_of(row->cause)));
    cell(row->phase);
  }
  ImGui::EndTable();
}

void lines(const Screen& screen, const StepScale& scale) {
  const std::string time = scale.time_title();
  if (!begin(screen, "lines", {{"line", 0}, {time.c_str(), 90}, {"share", 80}, {"of which", 420}}))
    return;
  for (const LineGroup& group : line_groups(scale.summary.lines)) {
    const LineRow& first = *group.rows.front();
    ImGui::TableNextRow();
    cell(fmt::format("{}:{} {}{}", first.file, first.line, first.function,
                     direction_text(first.direction)));
    number(scale.time(group.ns_total));
    number(scale.share(group.ns_total));
    std::string causes;
    for (const LineRow* row : group.rows) {
      causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", name_of(row->cause),
                            scale.share(row->ns_total));
    }
    cell(causes);
  }
  ImGui::EndTable();
}

void trust(const Screen& screen, const StepScale& scale) {
  const Trust& t = scale.summary.trust;
  ImGui::BeginChild("trust");
  ImGui::PushTextWrapPos(0);
  const auto say = [](const std::string& text) { ImGui::TextWrapped("%s", text.c_str()); };
  for (const std::string& text : t.broken_invariants) say("BROKEN: " + text);
  for (const std::string& text : t.over_budget) say("UNEXPLAINED: " + text);
  say(steps_text(scale));
  for (const TrustFact& fact : trust_facts(scale)) {
    ImGui::PushStyleColor(ImGuiCol_Text, fact.good ? screen.theme.text : screen.theme.accent);
    say(fact.text + (fact.good ? "" : " (!)"));
    ImGui::PopStyleColor();
  }
  for (const std::string& rival : t.rivals) say("another tracer was active: " + rival);
  if (!t.abstained.empty()) say("not recorded, so never blamed: " + abstained_text(t));
  for (const std::string& note : t.notes) say(note);
  ImGui::PopTextWrapPos();
  ImGui::EndChild();
}

}  // namespace

void draw_tabs(Screen& screen) {
  const StepScale scale = scale_of(screen.session.run().summary);
  if (!ImGui::BeginTabBar("tabs")) return;
  const auto tab = [](const char* title, auto&& draw_it) {
    if (!ImGui::BeginTabItem(title)) return;
    draw_it();
    ImGui::EndTabItem();
  };
  tab("Who owns the time", [&] { owners(screen, scale); });
  tab("Phases", [&] { phases(screen, scale); });
  tab("Kernels", [&] { kernels(screen, scale); });
  tab("Lines", [&] { lines(screen, scale); });
  tab("Trust", [&] { trust(screen, scale); });
  ImGui::EndTabBar();
}

}  // namespace stepscope::viewer
