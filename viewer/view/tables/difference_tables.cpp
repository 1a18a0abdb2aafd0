// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables/table.hpp"

#include <fmt/format.h>

#include "core/report/tables.hpp"
#include "core/report/wording/diff_words.hpp"
#include "core/report/wording/numbers.hpp"

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
    std::vector<Table> out = {parts()};
    for (const report::Table& table : report::diff_tables(c_))
      out.push_back(table_of_report(table));
    return out;
  }

 private:
  std::string title() const { return std::string(unit_.name) + "/step"; }
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
