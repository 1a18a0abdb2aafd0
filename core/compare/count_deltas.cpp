// SPDX-License-Identifier: Apache-2.0
// How much more or less work a step of B does, and which lines that comes from. Counts are per step
// of each side's own counted steps: exact where each step does the same. Internal to core/compare.
#include "core/compare/matched_work.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace stepscope::compare_parts {
namespace {

using Amounts = std::pair<double, double>;  // per step of A and of B

struct LineSums {
  Amounts all;
  std::map<std::string, Amounts> operations;
};

// By the row of the line's pair and the direction.
using Sums = std::map<std::pair<std::size_t, Direction>, LineSums>;

double steps_of(const Summary& side) {
  return static_cast<double>(std::max<std::uint64_t>(1, side.partition.steps_counted));
}

template <class RowOf>
void add_places(const WorkCount& count, double steps, double Amounts::*side, const RowOf& row_of,
                Sums& sums) {
  for (const CountPlace& place : count.places) {
    LineSums& line = sums[{row_of(Line{place.file, place.line}), place.direction}];
    line.all.*side += static_cast<double>(place.total) / steps;
    line.operations[place.operation].*side += static_cast<double>(place.total) / steps;
  }
}

bool differs(const Amounts& amounts) {
  // Share of the larger that rounding explains: quotients of equal integers are equal.
  constexpr double kNothing = 1e-9;
  return std::abs(amounts.second - amounts.first) >
         kNothing * std::max(amounts.first, amounts.second);
}

CountLineDelta delta_of(const LinePair& pair, Direction direction, const LineSums& sums) {
  CountLineDelta out{.file = pair.file(),
                     .line = pair.line(),
                     .function = pair.function(),
                     .direction = direction,
                     .operations = {},
                     .a_per_step = sums.all.first,
                     .b_per_step = sums.all.second};
  const bool more = out.delta() > 0;
  for (const auto& [name, amounts] : sums.operations)
    if (differs(amounts) && (amounts.second > amounts.first) == more)
      out.operations.push_back(name);
  return out;
}

std::vector<CountLineDelta> line_deltas_of(const Sums& sums, const LineMatching& lines) {
  std::vector<CountLineDelta> out;
  for (const auto& [place, line] : sums)
    if (differs(line.all)) out.push_back(delta_of(lines.pairs()[place.first], place.second, line));
  std::stable_sort(out.begin(), out.end(), [](const CountLineDelta& x, const CountLineDelta& y) {
    return std::abs(x.delta()) > std::abs(y.delta());
  });
  return out;
}

bool knows_lines(const WorkCount& count) {
  return count.total == 0 || !count.places.empty();
}

CountDelta delta_of(const WorkCount& a, double a_steps, const WorkCount& b, double b_steps,
                    const LineMatching& lines) {
  CountDelta out{
      a.name, static_cast<double>(a.total) / a_steps, static_cast<double>(b.total) / b_steps, {}};
  if (!knows_lines(a) || !knows_lines(b)) return out;
  Sums sums;
  add_places(
      a, a_steps, &Amounts::first, [&](const Line& line) { return lines.of_a(line); }, sums);
  add_places(
      b, b_steps, &Amounts::second, [&](const Line& line) { return lines.of_b(line); }, sums);
  out.lines = line_deltas_of(sums, lines);
  return out;
}

}  // namespace

std::vector<CountDelta> count_deltas(const Summary& a, const Summary& b,
                                     const LineMatching& lines) {
  std::vector<CountDelta> rows;
  for (const WorkCount& of_a : a.counts) {
    const auto of_b = std::find_if(b.counts.begin(), b.counts.end(),
                                   [&](const WorkCount& c) { return c.name == of_a.name; });
    if (of_b == b.counts.end() || (of_a.total == 0 && of_b->total == 0)) continue;
    rows.push_back(delta_of(of_a, steps_of(a), *of_b, steps_of(b), lines));
  }
  return rows;
}

}  // namespace stepscope::compare_parts
