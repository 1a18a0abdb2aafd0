// SPDX-License-Identifier: Apache-2.0
// What is shown first: the typical step, its largest owner, and a sentence about both.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"
#include "viewer/view/session.hpp"

namespace stepscope::viewer {
namespace {

constexpr std::size_t kTallRows = 2;  // a lane of more pushes others off the screen

std::string duration(std::int64_t ns) {
  return format_duration(static_cast<double>(ns));
}

Cause largest_cause(const PerCause<std::int64_t>& parts) {
  return static_cast<Cause>(std::max_element(parts.begin(), parts.end()) - parts.begin());
}

std::optional<std::uint32_t> longest_segment(const Partition& partition, Interval window,
                                             Cause cause) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < partition.segments.size(); ++i) {
    const Segment& segment = partition.segments[i];
    if (segment.cause != cause || intersect(segment.time, window).empty()) continue;
    if (!best || segment.time.length() > partition.segments[*best].time.length()) best = i;
  }
  return best;
}

std::string where(const Run& run, const Segment& segment) {
  std::string out;
  if (segment.phase != 0) out += ", in phase " + phase_path(run, segment.phase);
  std::string line = line_text(run, segment.site, segment.direction);
  // The name distinguishes files; the details have the whole path.
  line.erase(0, line.rfind('/', line.find(':')) + 1);
  return line.empty() ? out : out + ", at " + line;
}

// Compares a step with the median, which may lie between two kinds of steps, where no step is.
std::string median_text(const Step& step, std::int64_t p50_ns) {
  const std::string near = duration(p50_ns);
  if (duration(step.wall_ns()) == near || std::abs(step.wall_ns() - p50_ns) < p50_ns / 50)
    return "the median";
  return "nearest to the median, " + near + ",";
}

}  // namespace

std::optional<std::uint32_t> typical_step(const Summary& summary) {
  if (summary.counted.empty()) return std::nullopt;
  const auto distance = [&](std::uint32_t row) {
    return std::abs(summary.steps.list[row].wall_ns() - summary.partition.p50_ns);
  };
  return *std::min_element(summary.counted.begin(), summary.counted.end(),
                           [&](auto a, auto b) { return distance(a) < distance(b); });
}

std::string step_sentence(const Run& run, std::uint32_t row) {
  const Step& step = run.steps.list[row];
  const PerCause<std::int64_t>& parts = run.summary.step_parts[row];
  const Cause cause = largest_cause(parts);
  const std::int64_t owned = parts[index_of(cause)];
  const std::string median = run.summary.partition.p50_ns > 0
                                 ? ", where the median is " + duration(run.summary.partition.p50_ns)
                                 : "";
  const std::string not_counted =
      step.why_not_steady.empty() ? "" : "; not counted: " + step.why_not_steady;
  return fmt::format("Step {}: {}{}{}. {} ({}) owns {} of it, {}.", step.id,
                     duration(step.wall_ns()), median, not_counted, name_of(cause),
                     meaning_of(cause), duration(owned),
                     format_share(static_cast<double>(owned) /
                                  static_cast<double>(std::max<std::int64_t>(1, step.wall_ns()))));
}

void Session::fold_quiet_lanes() {
  const Interval span = viewport_.span();
  const auto is_seen = [&](const Row& row) {
    const std::uint32_t at = row.first_ending_after(span.begin);
    return at < row.size() && row.time(at).begin < span.end;
  };
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::vector<Row>& rows = lanes_[i].rows;
    if (std::any_of(rows.begin(), rows.end(), is_seen)) continue;
    resting[i] = lanes_[i].is_aside;
    if (rows.size() > kTallRows) collapsed[i] = true;
  }
}

void Session::open() {
  if (!run_.is_analysed) {
    sentence_ = "The timeline is all that was recorded; its steps and owners follow.";
    return;
  }
  const auto step = typical_step(run_.summary);
  if (!step || run_.steps.found_by == FoundBy::whole_trace) {
    sentence_ = "No steps were found, so the whole trace is shown; --step-marker names the loop.";
    return;
  }
  go_to_step(*step);
  fold_quiet_lanes();
  const Step& shown = run_.steps.list[*step];
  const PerCause<std::int64_t>& parts = run_.summary.step_parts[*step];
  const Cause cause = largest_cause(parts);
  const std::int64_t owned = parts[index_of(cause)];
  const auto segment = longest_segment(run_.attribution.process, shown.window, cause);
  if (!segment) return;
  select(*find_spot(run_, lanes_, {EventKind::segment, *segment}));
  sentence_ = fmt::format(
      "Step {} stands for the run: {}, {} of {} counted. {} ({}) owns {} of it, {}; its longest "
      "stretch is selected{}.",
      shown.id, duration(shown.wall_ns()), median_text(shown, run_.summary.partition.p50_ns),
      run_.summary.counted.size(), name_of(cause), meaning_of(cause), duration(owned),
      format_share(static_cast<double>(owned) / static_cast<double>(shown.wall_ns())),
      where(run_, run_.attribution.process.segments[*segment]));
}

}  // namespace stepscope::viewer
