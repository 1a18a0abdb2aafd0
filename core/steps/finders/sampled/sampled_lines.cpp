// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "core/steps/finders/finders.hpp"
#include "core/steps/shares.hpp"
#include "core/support/duration.hpp"
#include "core/support/short_file.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kFewestVisits = 6;
constexpr std::int64_t kSpacingsOfVisit = 3;  // a shorter one may be missed
constexpr double kSureOfRhythm = 0.7;

using Line = std::pair<StringId, std::uint32_t>;  // file, line; functions are left aside
using Times = std::vector<std::int64_t>;

struct Visits {
  Times begins;
  Times lengths;  // to where samples come to another line
  std::size_t samples = 0;
};

struct Seen {
  std::map<Line, Visits> lines;
  std::int64_t spacing = 0;  // usual distance of two samples
};

Times distances_of(const Times& times) {
  Times out;
  for (std::size_t i = 1; i < times.size(); ++i) out.push_back(times[i] - times[i - 1]);
  return out;
}

Seen lines_of(const Activity& activity, ThreadId thread) {
  const TraceData& data = activity.trace->data();
  Seen seen;
  Times times;
  Line last{kNone, 0};
  for (std::size_t s = 0; s < data.samples.size(); ++s) {
    const SiteId site = data.samples.site[s];
    const std::int64_t time = data.samples.time[s];
    if (data.samples.thread[s] != thread || site == kNone || !activity.host.contains(time))
      continue;
    const Line line{data.sites[site].file, data.sites[site].line};
    Visits& visits = seen.lines[line];
    ++visits.samples;
    if (line != last) {
      if (!times.empty()) seen.lines[last].lengths.push_back(time - seen.lines[last].begins.back());
      visits.begins.push_back(time);
    }
    times.push_back(time);
    last = line;
  }
  seen.spacing = median(distances_of(times));
  return seen;
}

// Returns the share of the distances that are within half of the usual one.
double evenness_of(const Times& begins) {
  const Times distances = distances_of(begins);
  const std::int64_t usual = median(distances);
  const auto near = std::count_if(distances.begin(), distances.end(), [usual](std::int64_t d) {
    return 2 * std::abs(d - usual) <= usual;
  });
  return static_cast<double>(near) / static_cast<double>(distances.size());
}

struct Rhythm {
  Line line{kNone, 0};
  Times begins;
  double even = 0;
  std::size_t samples = 0;
};

// The most even one over most of the run; of equally even ones that with most samples.
Rhythm best_rhythm(const Seen& seen, const Activity& activity) {
  Rhythm best;
  for (const auto& [line, visits] : seen.lines) {
    if (visits.lengths.size() < kFewestVisits ||
        median(visits.lengths) < kSpacingsOfVisit * seen.spacing)
      continue;
    Rhythm rhythm{line, visits.begins, 0, visits.samples};
    const std::int64_t span = rhythm.begins.back() - rhythm.begins.front();
    if (rhythm.begins.size() < kFewestVisits || 2 * span < activity.host.length()) continue;
    rhythm.even = evenness_of(rhythm.begins);
    const double more = rhythm.even - best.even;
    const bool is_better =
        more > 0.02 || (more > -0.02 && rhythm.samples > best.samples) || best.begins.empty();
    if (rhythm.even >= kMost && is_better) best = std::move(rhythm);
  }
  return best;
}

}  // namespace

Loop find_sampled_lines(const Activity& activity) {
  if (activity.work_kind != WorkKind::python_calls || activity.work.size() != 1) return {};
  const auto thread = static_cast<ThreadId>(activity.work.front().lane);
  const Seen seen = lines_of(activity, thread);
  const Rhythm rhythm = best_rhythm(seen, activity);
  if (rhythm.begins.empty()) return {};
  const std::string_view file = activity.trace->text(rhythm.line.first);
  Loop loop{
      .found_by = FoundBy::periodicity,
      .confidence = kSureOfRhythm * rhythm.even,
      .how = fmt::format("{} visits of {}:{} in samples {} apart, by which each step is known "
                         "to that time and their mean to much less",
                         rhythm.begins.size(), short_file(file), rhythm.line.second,
                         format_duration(static_cast<double>(seen.spacing))),
      .thread = thread};
  for (std::size_t i = 0; i + 1 < rhythm.begins.size(); ++i)
    loop.steps.push_back({static_cast<std::int64_t>(i), {rhythm.begins[i], rhythm.begins[i + 1]}});
  return loop;
}

}  // namespace stepscope
