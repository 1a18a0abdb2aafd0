// SPDX-License-Identifier: Apache-2.0
// How far the rows of a comparison's tables reach over all pairs of runs. The runs of a side are of
// one program, so a row's work has the same phase, line, cause and operation in each of them as in
// the middle one, of which the tables are. Internal to core/compare.
#include "core/compare/matched_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "core/support/duration.hpp"

namespace stepscope::compare_parts {
namespace {

using Values = std::vector<std::vector<double>>;  // by run, then by row: nanoseconds a step

DeltaRange range_of_row(const Values& a, const Values& b, std::size_t row) {
  const auto extremes = [row](const Values& runs) {
    const auto [low, high] = std::minmax_element(
        runs.begin(), runs.end(), [row](const auto& x, const auto& y) { return x[row] < y[row]; });
    return std::pair((*low)[row], (*high)[row]);
  };
  const auto [a_low, a_high] = extremes(a);
  const auto [b_low, b_high] = extremes(b);
  return std::pair(b_low - a_high, b_high - a_low);
}

// Each item of a run falls into the row that its key has in the middle run, or into none.
template <class Key, class KeyOf>
Values values_of(const std::vector<Summary>& runs, double samples_factor,
                 const std::map<Key, std::size_t>& row_of, std::size_t rows, KeyOf key_of) {
  Values out;
  for (const Summary& run : runs) {
    const auto steps = static_cast<double>(std::max<std::uint64_t>(1, run.partition.steps_counted));
    std::vector<double>& values = out.emplace_back(rows, 0.0);
    for (const WorkItem& item : scale(run, 1).items) {
      const auto row = row_of.find(key_of(item));
      if (row != row_of.end())
        values[row->second] += samples_factor * static_cast<double>(item.ns) / steps;
    }
  }
  return out;
}

std::string phase_key(const WorkItem& item) {
  return item.phase;
}

using LineKey = std::tuple<std::string, std::uint32_t, Direction>;
LineKey line_key(const WorkItem& item) {
  return {item.file, item.line, item.direction};
}

using GroupKey = std::tuple<Cause, std::string, LineKey, std::string>;
GroupKey group_key(const WorkItem& item) {
  return {item.cause, item.phase, line_key(item), item.operation};
}

class Ranges {
 public:
  Ranges(const std::vector<Summary>& a, const std::vector<Summary>& b, const MatchedWork& work,
         const CompareOptions& options)
      : a_(a), b_(b), work_(work) {
    if (!options.a_samples || !options.b_samples) return;
    const double smaller = std::min(*options.a_samples, *options.b_samples);
    a_factor_ = smaller / *options.a_samples;
    b_factor_ = smaller / *options.b_samples;
  }

  void whole(Comparison& out) const {
    const auto one = [](const WorkItem&) { return 0; };
    const std::map<int, std::size_t> row = {{0, 0}};
    out.range_ns_per_step = range_of_row(values_of(a_, a_factor_, row, 1, one),
                                         values_of(b_, b_factor_, row, 1, one), 0);
  }

  void causes(std::vector<CauseDelta>& rows) const {
    std::map<Cause, std::size_t> row_of;
    for (const CauseDelta& row : rows) row_of.emplace(row.cause, row_of.size());
    const auto key = [](const WorkItem& item) { return item.cause; };
    set(rows, row_of, row_of, key);
  }

  void phases(std::vector<PhaseDelta>& rows) const {
    std::map<std::string, std::size_t> by_path, a_rows;
    for (const PhaseDelta& row : rows) by_path.emplace(row.path, by_path.size());
    for (std::size_t i = 0; i < work_.a.items.size(); ++i)
      a_rows.emplace(work_.a_phases[i], by_path.at(work_.a.items[i].phase));
    set(rows, a_rows, by_path, phase_key);
  }

  void lines(std::vector<LineDelta>& rows) const {
    std::map<std::pair<std::size_t, Direction>, std::size_t> by_pair;
    for (std::size_t row = 0; row < rows.size(); ++row)
      by_pair.emplace(std::pair(pair_of(rows[row]), rows[row].direction), row);
    std::map<LineKey, std::size_t> a_rows, b_rows;
    for (const WorkItem& item : work_.a.items)
      if (const auto row = by_pair.find({work_.lines.of_a(item), item.direction});
          row != by_pair.end())
        a_rows.emplace(line_key(item), row->second);
    for (const WorkItem& item : work_.b.items)
      if (const auto row = by_pair.find({work_.lines.of_b(item), item.direction});
          row != by_pair.end())
        b_rows.emplace(line_key(item), row->second);
    set(rows, a_rows, b_rows, line_key);
  }

  void parts(std::vector<DeltaPart>& parts) const {
    std::map<GroupKey, std::size_t> a_rows, b_rows;
    for (std::size_t group = 0; group < work_.groups.size(); ++group) {
      for (const std::size_t i : work_.groups[group].a) {
        WorkItem own = work_.a.items[i];
        own.phase = work_.a_phases[i];
        a_rows.emplace(group_key(own), group);
      }
      for (const std::size_t i : work_.groups[group].b)
        b_rows.emplace(group_key(work_.b.items[i]), group);
    }
    const Values a = values_of(a_, a_factor_, a_rows, work_.groups.size(), group_key);
    const Values b = values_of(b_, b_factor_, b_rows, work_.groups.size(), group_key);
    for (DeltaPart& part : parts) part.group_range_ns_per_step = range_of_row(a, b, part.group);
  }

 private:
  template <class Row, class Key, class KeyOf>
  void set(std::vector<Row>& rows, const std::map<Key, std::size_t>& a_rows,
           const std::map<Key, std::size_t>& b_rows, KeyOf key_of) const {
    const Values a = values_of(a_, a_factor_, a_rows, rows.size(), key_of);
    const Values b = values_of(b_, b_factor_, b_rows, rows.size(), key_of);
    for (std::size_t row = 0; row < rows.size(); ++row)
      rows[row].range_ns_per_step = range_of_row(a, b, row);
  }

  // The row of work_.lines that a row of the table was made of.
  std::size_t pair_of(const LineDelta& row) const {
    const std::vector<LinePair>& pairs = work_.lines.pairs();
    const auto found = std::find_if(pairs.begin(), pairs.end(), [&row](const LinePair& pair) {
      return pair.a.second == row.a_line && pair.b.second == row.b_line &&
             (pair.b.first.empty() ? pair.a.first : pair.b.first) == row.file;
    });
    return static_cast<std::size_t>(found - pairs.begin());
  }

  const std::vector<Summary>& a_;
  const std::vector<Summary>& b_;
  const MatchedWork& work_;
  double a_factor_ = 1, b_factor_ = 1;  // per sample
};

}  // namespace

void add_ranges(const std::vector<Summary>& a, const std::vector<Summary>& b,
                const MatchedWork& work, const CompareOptions& options, Comparison& out) {
  const Ranges ranges(a, b, work, options);
  ranges.whole(out);
  ranges.causes(out.causes);
  ranges.phases(out.phases);
  ranges.lines(out.lines);
  ranges.parts(out.parts);
}

std::string noise_of_one_run(const Comparison& c) {
  const auto spread = [](const ComparedSide& side) { return side.p90_ns - side.p50_ns; };
  const bool is_a = spread(c.a) >= spread(c.b);
  const ComparedSide& side = is_a ? c.a : c.b;
  const double delta = std::abs(c.per_step(c.delta_ns_total));
  if (c.samples || c.delta_ns_total == 0 || delta > static_cast<double>(spread(side))) return "";
  return fmt::format(
      "the steps of {} differ by more than the two runs (p50 {}, p90 {}): record several runs a "
      "side to be sure",
      is_a ? "A" : "B", format_duration(static_cast<double>(side.p50_ns)),
      format_duration(static_cast<double>(side.p90_ns)));
}

}  // namespace stepscope::compare_parts
