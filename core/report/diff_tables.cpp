// SPDX-License-Identifier: Apache-2.0
// A and B beside each other by cause, phase and line: every row is a summand of the difference, so
// each table sums to it.
#include "core/report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/wording/diff_words.hpp"
#include "core/report/wording/step_scale.hpp"

namespace stepscope::report {
namespace {

constexpr double kLeastChangeShown = 0.0005;  // share of A's step

Cell range_cell(const DeltaRange& range) {
  return range ? Cell(Range{range->first, range->second}) : Cell();
}

class SidesTable {
 public:
  SidesTable(const Comparison& c, const char* id, const char* title, Column first) : c_(c) {
    const double a_ns = c.per_step(c.a.wall_ns_total);
    table_.id = id;
    table_.title = table_.brief = table_.tab = title;
    table_.unit = unit_for_step(a_ns);
    table_.whole_ns = std::max(1.0, a_ns);
    table_.bars = Bars::of_change;
    const std::string unit = std::string(table_.unit.name) + "/step";
    table_.columns = {std::move(first),
                      {"a_ns", "A", Kind::time, unit, true},
                      {"b_ns", "B", Kind::time, unit, true},
                      {"delta_ns", "difference", Kind::difference, "", true},
                      {"change", "of A", Kind::change, "", true},
                      {"range", "all pairs", Kind::range},
                      {"delta_ns", exact_title(c.steps), Kind::exact, "", true}};
    table_.sum = row(Words{"= step"}, c.a.wall_ns_total, c.b.wall_ns_total, c.range_ns_per_step);
  }

  template <class Delta>
  void add(Cell name, const Delta& delta, Link link = {}) {
    Row out = row(std::move(name), delta.a_ns, delta.b_ns, delta.range_ns_per_step);
    const double change = std::abs(c_.per_step(delta.delta_ns())) / table_.whole_ns;
    if (change < kLeastChangeShown) out.weight = Weight::minor;
    out.link = std::move(link);
    table_.rows.push_back(std::move(out));
  }

  Table table() { return std::move(table_); }

 private:
  Row row(Cell name, std::int64_t a_ns, std::int64_t b_ns, const DeltaRange& range) const {
    const auto steps = static_cast<double>(c_.steps);
    const Amount delta{b_ns - a_ns, steps};
    Row out;
    if (const auto* cause = std::get_if<Cause>(&name)) out.cause = *cause;
    out.cells = {std::move(name),
                 Amount{a_ns, steps},
                 Amount{b_ns, steps},
                 delta,
                 delta,
                 range_cell(range),
                 delta};
    return out;
  }

  const Comparison& c_;
  Table table_;
};

// "net.py:42 (step), was :40"
std::string line_text(const LineDelta& row) {
  if (row.file.empty()) return "(no line)";
  DeltaPart at;
  at.file = row.file;
  at.line = row.line;
  at.function = row.function;
  at.direction = row.direction;
  const std::string out = place_of(at);
  if (row.a_line == 0) return out + ", new";
  if (row.b_line == 0) return out + ", gone";
  return row.a_line == row.b_line ? out : out + fmt::format(", was :{}", row.a_line);
}

}  // namespace

std::vector<Table> diff_tables(const Comparison& c) {
  SidesTable causes(c, "causes", "By cause", {"cause", "cause", Kind::cause});
  for (const CauseDelta& row : c.causes) causes.add(row.cause, row, {Link::To::cause, ""});
  SidesTable phases(c, "phases", "By phase", {"phase", "phase", Kind::name});
  for (const PhaseDelta& row : c.phases)
    phases.add(Name{row.path, "", ""}, row, {Link::To::phase, row.path});
  SidesTable lines(c, "lines", "By line", {"line", "line", Kind::name});
  for (const LineDelta& row : c.lines) lines.add(Name{line_text(row), "", ""}, row);
  std::vector<Table> out = {causes.table()};
  if (c.phases.size() > 1) out.push_back(phases.table());
  if (c.lines.size() > 1) out.push_back(lines.table());
  return out;
}

}  // namespace stepscope::report
