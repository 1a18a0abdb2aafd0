// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables/difference_tables.hpp"

#include <fmt/format.h>

#include "core/report/wording/diff_words.hpp"
#include "core/report/wording/names.hpp"
#include "core/report/wording/shown_path.hpp"

namespace stepscope::viewer {
namespace {

class DifferenceTables {
 public:
  explicit DifferenceTables(const Desk& desk)
      : desk_(desk),
        c_(*desk.comparison()),
        a_ns_(c_.per_step(c_.a.wall_ns_total)),
        unit_(unit_for_step(a_ns_)) {}

  std::vector<Table> tables() const {
    if (!c_.shown()) return {not_comparable()};
    std::vector<Table> out = {parts(), causes()};
    if (c_.phases.size() > 1) out.push_back(phases());
    if (c_.lines.size() > 1) out.push_back(lines());
    return out;
  }

 private:
  std::string title() const { return std::string(unit_.name) + "/step"; }
  TableCell time(std::int64_t total) const {
    return {format_time(c_.per_step(total), unit_), static_cast<double>(total)};
  }
  TableCell difference(std::int64_t total) const {
    return {format_difference(c_.per_step(total), unit_), static_cast<double>(total)};
  }
  TableCell change(std::int64_t total) const {
    return {format_change(a_ns_ > 0 ? c_.per_step(total) / a_ns_ : 0), static_cast<double>(total)};
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    if (c_.anyway) out.insert(out.end(), c_.why_not.begin(), c_.why_not.end());
    out.insert(out.end(), c_.warnings.begin(), c_.warnings.end());
    return out;
  }

  Table not_comparable() const {
    Table out{"Difference", {{"why these runs are not compared"}}, {}, {}, ""};
    for (const std::string& why : c_.why_not)
      out.rows.push_back({{{why, {}}}, {}, RowAction::nothing, 0, ""});
    out.notes.push_back("--anyway shows the tables.");
    return out;
  }

  Table parts() const {
    Table out{"Difference",
              {{title(), true}, {"of A", true}, {"cause"}, {"where"}, {"operation"}, {"how"}},
              {},
              notes(),
              ""};
    const std::vector<DeltaGroup>& groups = desk_.groups();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const DeltaPart& part = groups[i].largest();
      const std::string place = place_of(part);
      out.rows.push_back({{difference(groups[i].delta_ns),
                           change(groups[i].delta_ns),
                           {std::string(name_of(part.cause)), {}},
                           {place.empty() ? part.phase : place, {}},
                           {part.kind == DeltaKind::idle ? "" : short_kernel_name(part.op), {}},
                           {how_of(groups[i], c_), {}}},
                          part.cause,
                          RowAction::show_group,
                          i,
                          ""});
    }
    out.rows.push_back({{difference(c_.delta_ns_total),
                         change(c_.delta_ns_total),
                         {"= B's step less A's", {}},
                         {"", {}},
                         {"", {}},
                         {fmt::format("left over: {} ns", c_.residual_ns), {}}},
                        {},
                        RowAction::nothing,
                        0,
                        "",
                        true});
    return out;
  }

  Table sides_table(const char* tab, const char* what) const {
    return {tab,
            {{what},
             {"A " + title(), true},
             {"B " + title(), true},
             {"difference", true},
             {"of A", true}},
            {},
            {},
            ""};
  }
  std::vector<TableCell> sides(const std::string& name, std::int64_t a, std::int64_t b) const {
    return {{name, {}}, time(a), time(b), difference(b - a), change(b - a)};
  }
  void add_sum(Table& table) const {
    table.rows.push_back({sides("= step", c_.a.wall_ns_total, c_.b.wall_ns_total),
                          {},
                          RowAction::nothing,
                          0,
                          "",
                          true});
  }

  Table causes() const {
    Table out = sides_table("By cause", "cause");
    for (const CauseDelta& row : c_.causes)
      out.rows.push_back({sides(std::string(name_of(row.cause)), row.a_ns, row.b_ns), row.cause,
                          RowAction::show_cause, index_of(row.cause), ""});
    add_sum(out);
    return out;
  }

  Table phases() const {
    Table out = sides_table("By phase", "phase");
    for (const PhaseDelta& row : c_.phases)
      out.rows.push_back(
          {sides(row.path, row.a_ns, row.b_ns), {}, RowAction::show_phase, 0, row.path});
    add_sum(out);
    return out;
  }

  std::string line_name(const LineDelta& row) const {
    if (row.file.empty()) return "(no line)";
    const std::string name = fmt::format("{}:{} {}{}", shown_file(row.file, c_), row.line,
                                         row.function, direction_text(row.direction));
    if (row.a_line == 0) return name + ", new";
    if (row.b_line == 0) return name + ", gone";
    return row.a_line == row.b_line ? name : name + fmt::format(", was :{}", row.a_line);
  }

  Table lines() const {
    Table out = sides_table("By line", "line");
    for (const LineDelta& row : c_.lines)
      out.rows.push_back(
          {sides(line_name(row), row.a_ns, row.b_ns), {}, RowAction::nothing, 0, ""});
    add_sum(out);
    return out;
  }

  const Desk& desk_;
  const Comparison& c_;
  double a_ns_;
  TimeUnit unit_;
};

}  // namespace

std::vector<Table> difference_tables(const Desk& desk) {
  if (desk.comparison() == nullptr) return {};
  return DifferenceTables(desk).tables();
}

}  // namespace stepscope::viewer
