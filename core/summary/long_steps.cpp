// SPDX-License-Identifier: Apache-2.0
#include "core/summary/long_steps.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "core/steps/unusual/long_rule.hpp"
#include "core/summary/parts.hpp"
#include "core/summary/rows/by_time.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {

double LongSteps::share() const {
  return loop_ns_total > 0 ? static_cast<double>(wall_ns_total) / static_cast<double>(loop_ns_total)
                           : 0;
}

double LongSteps::highest_ratio() const {
  return median_ns > 0 ? static_cast<double>(longest_ns) / static_cast<double>(median_ns) : 0;
}

std::vector<std::pair<Cause, std::int64_t>> LongSteps::excess_by_cause() const {
  PerCause<std::int64_t> sums{};
  for (const ExcessRow& row : excess) sums[index_of(row.cause)] += row.ns_total;
  std::vector<std::pair<Cause, std::int64_t>> out;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    if (sums[i] != 0) out.emplace_back(static_cast<Cause>(i), sums[i]);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

namespace summary_parts {
namespace {

using ExcessKey = std::tuple<Cause, std::string_view, std::uint32_t>;  // cause, file, line

struct Spent {
  std::int64_t in_long = 0;
  std::int64_t in_others = 0;
  std::string_view function;  // the first by name
};
using SpentTable = std::map<ExcessKey, Spent>;

enum class StepClass : std::uint8_t { not_counted, other, is_long };

SpentTable sum_by_class(const Trace& trace, const Partition& partition,
                        const std::vector<StepClass>& classes) {
  SpentTable table;
  for (const Cell& cell : partition.cells) {
    if (classes[cell.step] == StepClass::not_counted) continue;
    const Site site = cell.site == kNone ? Site{} : trace.data().sites[cell.site];
    const auto [at, is_new] = table.try_emplace({cell.cause, trace.text(site.file), site.line});
    Spent& spent = at->second;
    const std::string_view function = trace.text(site.function);
    if (is_new || function < spent.function) spent.function = function;
    (classes[cell.step] == StepClass::is_long ? spent.in_long : spent.in_others) += cell.ns;
  }
  return table;
}

std::vector<ExcessRow> excess_rows(const SpentTable& table, std::int64_t median_ns,
                                   std::int64_t long_steps) {
  std::vector<double> weights;
  weights.reserve(table.size());
  for (const auto& [key, spent] : table) weights.push_back(static_cast<double>(spent.in_others));
  const std::vector<std::int64_t> usual = largest_remainder(median_ns, weights);
  std::vector<ExcessRow> rows;
  auto usual_ns = usual.begin();
  for (const auto& [key, spent] : table) {
    const auto& [cause, file, line] = key;
    const std::int64_t excess = spent.in_long - long_steps * *usual_ns++;
    if (excess == 0) continue;
    rows.push_back({cause, std::string(file), line, std::string(spent.function), excess});
  }
  sort_by_time(rows);
  return rows;
}

}  // namespace

LongSteps sum_long_steps(const Trace& trace, const Steps& steps, const Partition& partition,
                         const std::vector<std::uint32_t>& rows) {
  std::vector<std::int64_t> walls;
  for (const std::uint32_t row : rows) walls.push_back(steps.list[row].wall_ns());
  const LongRule rule = long_rule(walls, steps.begin_error_ns);
  LongSteps out{.median_ns = rule.median_ns, .limit_ns = rule.limit_ns};
  std::vector<StepClass> classes(steps.list.size(), StepClass::not_counted);
  for (const std::uint32_t row : rows) {
    const std::int64_t wall = steps.list[row].wall_ns();
    out.loop_ns_total += wall;
    out.longest_ns = std::max(out.longest_ns, wall);
    classes[row] = rule.is_long(wall) ? StepClass::is_long : StepClass::other;
    if (!rule.is_long(wall)) continue;
    out.rows.push_back(row);
    out.wall_ns_total += wall;
  }
  out.steps = out.rows.size();
  if (out.steps == 0) return out;
  const auto count = static_cast<std::int64_t>(out.steps);
  out.excess_ns_total = out.wall_ns_total - count * out.median_ns;
  out.excess = excess_rows(sum_by_class(trace, partition, classes), out.median_ns, count);
  return out;
}

}  // namespace summary_parts
}  // namespace stepscope
