// SPDX-License-Identifier: Apache-2.0
#include "core/gate/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/compare/same_program.hpp"
#include "core/gate/change_points.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

// Empty: it can be compared with the newest result.
std::string why_left_out(const HistoryResult& result, const HistoryResult& newest) {
  if (result.runs.empty()) return "holds no run";
  Comparison pair;
  compare_parts::judge_comparability(result.runs.front(), newest.runs.front(), {}, pair);
  return pair.why_not.empty() ? "" : pair.why_not.front();
}

HistoryPoint point_of(const Metric& metric, const HistoryResult& result,
                      const HistoryResult& newest) {
  HistoryPoint out{.name = result.name, .left_out = why_left_out(result, newest)};
  if (!out.left_out.empty()) return out;
  std::vector<double> values;
  for (const Summary& run : result.runs)
    if (const auto value = value_of(metric, run)) values.push_back(*value);
  if (values.size() == result.runs.size()) out.value = median_of(values);
  if (!out.value || !std::isfinite(*out.value)) {
    out.value.reset();
    out.left_out = fmt::format("{} is not in it", metric.name);
  }
  return out;
}

struct Series {
  std::vector<double> values;
  std::vector<std::size_t> places;  // in points
};

Series series_of(const std::vector<HistoryPoint>& points) {
  Series out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].value) continue;
    out.values.push_back(*points[i].value);
    out.places.push_back(i);
  }
  return out;
}

double level_between(const Series& series, std::size_t begin, std::size_t end) {
  return median_of({series.values.begin() + static_cast<std::ptrdiff_t>(begin),
                    series.values.begin() + static_cast<std::ptrdiff_t>(end)});
}

std::vector<LevelChange> level_changes(const Series& series, double level) {
  std::vector<ChangePoint> found = change_points(series.values, level);
  std::vector<LevelChange> out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : found[i - 1].at;
    const std::size_t end = i + 1 < found.size() ? found[i + 1].at : series.values.size();
    out.push_back({series.places[found[i].at], level_between(series, begin, found[i].at),
                   level_between(series, found[i].at, end), found[i].chance});
  }
  return out;
}

// The first recent rise since which the metric lies beyond the tolerance; small ones add up.
const LevelChange* standing_rise(const MetricHistory& history, const HistoryOptions& options) {
  const double now = history.changes.empty() ? 0 : history.changes.back().after;
  for (const LevelChange& change : history.changes) {
    const bool recent = change.at + options.recent >= history.points.size();
    const bool stands = now > change.before * (1 + options.tolerance);
    if (recent && change.after > change.before && stands) return &change;
  }
  return nullptr;
}

// Returns how many of the newest results in a row lie beyond the tolerance above their level.
std::size_t above_level(const Series& series, double level, double tolerance) {
  const auto end = std::find_if(series.values.rbegin(), series.values.rend(),
                                [&](double value) { return !(value > level * (1 + tolerance)); });
  return static_cast<std::size_t>(end - series.values.rbegin());
}

// Returns what speaks against a pass: a rise that may be more than chance. Empty: nothing.
std::string why_open(const Series& series, double level, const HistoryOptions& options,
                     const MetricHistory& history) {
  const std::size_t results = series.values.size();
  const std::size_t least = shortest_series(level);
  if (results < least)
    return fmt::format(
        "{} results can be compared, and in fewer than {} no rise is told from chance; {} more "
        "{} needed",
        results, least, least - results, least - results == 1 ? "is" : "are");
  const double now =
      history.changes.empty() ? level_between(series, 0, results) : history.changes.back().after;
  const std::size_t above = above_level(series, now, options.tolerance);
  if (above < kShortestLevel) return "";
  const std::size_t needed = std::max(above + 1, fewest_of_level(results, level).value_or(0));
  return fmt::format(
      "the last {} results lie beyond the tolerance, too few to be told from chance; {} more would "
      "most likely decide it",
      above, needed - above);
}

void judge_changes(const HistoryOptions& options, const Series& series, double level,
                   MetricHistory& out) {
  if (const LevelChange* rise = standing_rise(out, options)) {
    out.outcome = Outcome::regression;
    out.why = fmt::format("rose with {}", out.points[rise->at].name);
    return;
  }
  out.why = why_open(series, level, options, out);
  if (!out.why.empty()) return;
  out.outcome = Outcome::pass;
  out.why = fmt::format("no rise beyond the tolerance stands in the last {} results",
                        std::min(options.recent, out.points.size()));
}

}  // namespace

History judge_history(const HistoryOptions& options, const std::vector<HistoryResult>& results) {
  History out{.options = options};
  const double level =
      options.level / static_cast<double>(std::max<std::size_t>(1, options.metrics.size()));
  for (const Metric& metric : options.metrics) {
    MetricHistory history{.metric = metric};
    for (const HistoryResult& result : results)
      history.points.push_back(point_of(metric, result, results.back()));
    const Series series = series_of(history.points);
    history.changes = level_changes(series, level);
    judge_changes(options, series, level, history);
    out.metrics.push_back(std::move(history));
  }
  const auto any = [&](Outcome outcome) {
    return std::any_of(out.metrics.begin(), out.metrics.end(),
                       [&](const MetricHistory& m) { return m.outcome == outcome; });
  };
  if (any(Outcome::regression)) {
    out.outcome = Outcome::regression;
  } else if (!out.metrics.empty() && !any(Outcome::inconclusive)) {
    out.outcome = Outcome::pass;
  }
  return out;
}

}  // namespace stepscope
