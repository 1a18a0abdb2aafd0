// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/sampled/sampled_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/support/duration.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kFewestVisits = 6;
constexpr double kSpacingsOfStep = 6;
constexpr double kSpacingsOfVisit = 3;  // a shorter one may be missed
constexpr double kAlike = 0.5;          // relative to the median, to either side
constexpr double kLeastAlike = 0.8;
constexpr double kLeastOfRun = 0.5;
constexpr double kSureOfRhythm = 0.7;

using Line = std::pair<StringId, std::uint32_t>;  // file, line; functions are left aside

struct Visits {
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> lengths;  // to where samples come to another line
  std::size_t samples = 0;
};

struct Seen {
  std::map<Line, Visits> lines;
  std::int64_t spacing = 0;  // usual distance of two samples
};

std::string_view without_folder(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

Seen lines_of(const Activity& activity, ThreadId thread) {
  const TraceData& data = activity.trace->data();
  Seen seen;
  std::vector<std::int64_t> spacings;
  Line last{kNone, 0};
  std::int64_t time = 0;
  for (std::size_t s = 0; s < data.samples.size(); ++s) {
    const SiteId site = data.samples.site[s];
    if (data.samples.thread[s] != thread || site == kNone) continue;
    if (!activity.host.contains(data.samples.time[s])) continue;
    const Line line{data.sites[site].file, data.sites[site].line};
    Visits& visits = seen.lines[line];
    ++visits.samples;
    if (line != last && time != 0) {
      std::vector<std::int64_t>& lengths = seen.lines[last].lengths;
      lengths.push_back(data.samples.time[s] - seen.lines[last].begins.back());
    }
    if (line != last) visits.begins.push_back(data.samples.time[s]);
    if (time != 0) spacings.push_back(data.samples.time[s] - time);
    time = data.samples.time[s];
    last = line;
  }
  seen.spacing = spacings.empty() ? 0 : median(std::move(spacings));
  return seen;
}

// A line that is left for a moment and come back to (an inner loop) is visited once: visits closer
// than half of what most time lies between are one.
std::vector<std::int64_t> joined(const std::vector<std::int64_t>& begins) {
  std::vector<std::int64_t> distances;
  for (std::size_t i = 1; i < begins.size(); ++i) distances.push_back(begins[i] - begins[i - 1]);
  std::vector<std::int64_t> sorted = distances;
  std::sort(sorted.begin(), sorted.end());
  std::int64_t half = (begins.back() - begins.front()) / 2, usual = 0;
  for (const std::int64_t distance : sorted) {
    usual = distance;
    if ((half -= distance) <= 0) break;
  }
  std::vector<std::int64_t> out{begins.front()};
  for (std::size_t i = 1; i < begins.size(); ++i) {
    if (2 * (begins[i] - begins[i - 1]) >= usual) out.push_back(begins[i]);
  }
  return out;
}

struct Rhythm {
  std::vector<std::int64_t> begins;
  std::int64_t usual = 0;
  double alike = 0;  // share of the time between visits in distances near the usual one
  std::size_t samples = 0;
};

Rhythm rhythm_of(const Visits& visits) {
  Rhythm out{.begins = joined(visits.begins), .samples = visits.samples};
  std::vector<std::int64_t> distances;
  for (std::size_t i = 1; i < out.begins.size(); ++i)
    distances.push_back(out.begins[i] - out.begins[i - 1]);
  if (distances.empty()) return out;
  out.usual = median(distances);
  std::size_t near = 0;
  for (const std::int64_t distance : distances) {
    const auto off = static_cast<double>(std::abs(distance - out.usual));
    near += off <= kAlike * static_cast<double>(out.usual) ? 1U : 0U;
  }
  out.alike = static_cast<double>(near) / static_cast<double>(distances.size());
  return out;
}

bool is_loop(const Rhythm& rhythm, const Activity& activity, std::int64_t spacing) {
  if (rhythm.begins.size() < kFewestVisits || rhythm.alike < kLeastAlike) return false;
  const std::int64_t span = rhythm.begins.back() - rhythm.begins.front();
  return static_cast<double>(rhythm.usual) >= kSpacingsOfStep * static_cast<double>(spacing) &&
         static_cast<double>(span) >= kLeastOfRun * static_cast<double>(activity.host.length());
}

// The most even one; of equally even ones that with most samples.
std::pair<Line, Rhythm> best_line(const Seen& seen, const Activity& activity) {
  std::pair<Line, Rhythm> best{{kNone, 0}, {}};
  for (const auto& [line, visits] : seen.lines) {
    if (visits.lengths.size() < kFewestVisits) continue;
    const auto length = static_cast<double>(median(visits.lengths));
    if (length < kSpacingsOfVisit * static_cast<double>(seen.spacing)) continue;
    Rhythm rhythm = rhythm_of(visits);
    if (!is_loop(rhythm, activity, seen.spacing)) continue;
    const bool more =
        rhythm.alike > best.second.alike + 0.02 ||
        (rhythm.alike > best.second.alike - 0.02 && rhythm.samples > best.second.samples);
    if (best.first.first == kNone || more) best = {line, std::move(rhythm)};
  }
  return best;
}

}  // namespace

Loop find_sampled_lines(const Activity& activity) {
  if (activity.work_kind != WorkKind::python_calls || activity.work.size() != 1) return {};
  const auto thread = static_cast<ThreadId>(activity.work.front().lane);
  const Seen seen = lines_of(activity, thread);
  const auto [line, rhythm] = best_line(seen, activity);
  if (line.first == kNone) return {};
  Loop loop{
      .found_by = FoundBy::periodicity,
      .confidence = kSureOfRhythm * rhythm.alike,
      .how = fmt::format("{} visits of {}:{} in samples {} apart, by which each step is known "
                         "to that time and their mean to much less",
                         rhythm.begins.size(), without_folder(activity.trace->text(line.first)),
                         line.second, format_duration(static_cast<double>(seen.spacing))),
      .thread = thread};
  for (std::size_t i = 0; i + 1 < rhythm.begins.size(); ++i)
    loop.steps.push_back({static_cast<std::int64_t>(i), {rhythm.begins[i], rhythm.begins[i + 1]}});
  return loop;
}

}  // namespace stepscope
