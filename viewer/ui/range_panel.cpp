// SPDX-License-Identifier: Apache-2.0
// Draws the measured range: its owners, which sum to it, and each lane's events; for two runs both
// ranges beside each other.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"
#include "viewer/ui/screen.hpp"

namespace stepscope::viewer {
namespace {

std::string range_text(std::int64_t ns) {
  return format_duration(static_cast<double>(ns));
}

std::string signed_text(std::int64_t ns) {
  return (ns > 0 ? "+" : "") + range_text(ns);
}

const Measurement* measured_on(Screen& screen, std::size_t side) {
  const Session& session = screen.desk.side(side);
  Pane& pane = screen.panes[side];
  const auto range = session.measured();
  if (range && pane.measured != range)
    pane.measurement = measure(session.run(), session.lanes(), *range);
  pane.measured = range;
  return range ? &pane.measurement : nullptr;
}

void cells(std::initializer_list<std::string> texts) {
  ImGui::TableNextRow();
  bool first = true;
  for (const std::string& text : texts) {
    ImGui::TableNextColumn();
    const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (!first && room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
    ImGui::TextUnformatted(text.c_str());
    first = false;
  }
}

std::string share_text(std::int64_t ns, const Measurement& of) {
  const auto length = static_cast<double>(std::max<std::int64_t>(1, of.range.length()));
  return format_share(static_cast<double>(ns) / length);
}

bool begin_columns(const Screen& screen, const char* name, int columns) {
  if (!ImGui::BeginTable(name, columns)) return false;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  for (int i = 1; i < columns; ++i)
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, screen.px(76));
  return true;
}

void owners_of_one(const Screen& screen, const Measurement& m) {
  if (!begin_columns(screen, "owners", 3)) return;
  for (const PartSum& part : m.owners)
    cells({std::string(name_of(part.cause)), range_text(part.ns_total),
           share_text(part.ns_total, m)});
  if (m.outside_ns > 0)
    cells({"outside of all steps", range_text(m.outside_ns), share_text(m.outside_ns, m)});
  ImGui::EndTable();
}

void owners_of_two(const Screen& screen, const Measurement& a, const Measurement& b) {
  if (!begin_columns(screen, "owners", 4)) return;
  const auto line = [](std::string what, std::int64_t of_a, std::int64_t of_b) {
    cells({std::move(what), range_text(of_a), range_text(of_b), signed_text(of_b - of_a)});
  };
  cells({"", "A", "B", "B - A"});
  for (const OwnerPair& pair : pair_owners({&a, &b}))
    line(std::string(name_of(pair.cause)), pair.ns[0], pair.ns[1]);
  if (a.outside_ns > 0 || b.outside_ns > 0)
    line("outside of all steps", a.outside_ns, b.outside_ns);
  line("in all", a.range.length(), b.range.length());
  ImGui::EndTable();
}

void lane_title(const Screen& screen, const Lane& lane) {
  ImGui::Spacing();
  ImGui::PushStyleColor(ImGuiCol_Text, screen.theme.accent);
  ImGui::TextUnformatted((lane.title + " · " + lane.group).c_str());
  ImGui::PopStyleColor();
}

void lane_lines(const std::string& side, const LaneMeasure& lane, const Measurement& of) {
  ImGui::TextUnformatted(fmt::format("{}{} events, sum {}, busy {}", side,
                                     format_count(static_cast<double>(lane.lengths.count)),
                                     range_text(lane.sum_ns), share_text(lane.busy_ns, of))
                             .c_str());
  ImGui::TextUnformatted(
      fmt::format("{}min {}, p50 {}, p99 {}, max {}", side, range_text(lane.lengths.min_ns),
                  range_text(lane.lengths.p50_ns), range_text(lane.lengths.p99_ns),
                  range_text(lane.lengths.max_ns))
          .c_str());
}

void one_range(const Screen& screen, std::size_t side, const Measurement& m) {
  ImGui::TextUnformatted(fmt::format("Range: {}", range_text(m.range.length())).c_str());
  ImGui::Separator();
  owners_of_one(screen, m);
  for (const LaneMeasure& lane : m.lanes) {
    lane_title(screen, screen.desk.side(side).lanes()[lane.lane]);
    lane_lines("", lane, m);
  }
}

void two_ranges(const Screen& screen, const Measurement& a, const Measurement& b) {
  ImGui::TextUnformatted(
      fmt::format("Range: A {}, B {}", range_text(a.range.length()), range_text(b.range.length()))
          .c_str());
  ImGui::Separator();
  owners_of_two(screen, a, b);
  const std::array lanes = {&screen.desk.side(0).lanes(), &screen.desk.side(1).lanes()};
  for (const LanePair& pair : pair_lanes({&a, &b}, lanes)) {
    const std::size_t named = pair.sides[0] != nullptr ? 0 : 1;
    lane_title(screen, (*lanes[named])[pair.sides[named]->lane]);
    if (pair.sides[0] != nullptr) lane_lines("A  ", *pair.sides[0], a);
    if (pair.sides[1] != nullptr) lane_lines("B  ", *pair.sides[1], b);
  }
}

}  // namespace

void draw_range(Screen& screen) {
  const std::size_t active = screen.desk.active_side();
  const Measurement* const own = measured_on(screen, active);
  if (own == nullptr) return;
  const Measurement* other = nullptr;
  if (screen.desk.sides() == 2) other = measured_on(screen, 1 - active);
  if (other == nullptr) {
    one_range(screen, active, *own);
  } else {
    two_ranges(screen, active == 0 ? *own : *other, active == 0 ? *other : *own);
  }
  ImGui::Spacing();
  ImGui::Separator();
}

}  // namespace stepscope::viewer
