// SPDX-License-Identifier: Apache-2.0
#include "core/findings/judged_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/attribution/places/call_sites.hpp"
#include "core/model/row_order.hpp"
#include "core/support/short_file.hpp"
#include "core/support/statistics.hpp"

namespace stepscope::rules {
namespace {

constexpr double kDeviationOfMedian = 1.4826;  // standard deviation / MAD of a normal distribution
constexpr double kLeastShareOfStep = 0.01;
constexpr double kLeastNoises = 3;
constexpr double kMostOfNoise = 0.05;  // steps of two kinds vary much, and their costs are plain

// Parents stand before their children, so one pass in row order hands the lines down.
std::vector<SiteId> nearest_sites(const Trace& trace) {
  std::vector<bool> counts;  // a recorded call site, or a function of user code
  for (const Site& site : trace.data().sites)
    counts.push_back(site.kind == SiteKind::call || is_user_file(trace.text(site.file)));
  const HostRanges& h = trace.host_ranges();
  const std::vector<RangeId> enclosing = enclosing_ranges(h);
  std::vector<SiteId> nearest(h.size(), kNone);
  for (RangeId r = 0; r < h.size(); ++r) {
    const bool own = h.site[r] != kNone && counts[h.site[r]];
    const RangeId outer = own ? kNone : enclosing[r];
    nearest[r] = own ? h.site[r] : outer == kNone ? kNone : nearest[outer];
  }
  return nearest;
}

bool names_optimizer(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find("optim") != std::string::npos;
}

std::vector<bool> find_optimizer_phases(const std::vector<Phase>& phases) {
  std::vector<bool> out;
  for (const Phase& own : phases) {
    bool is = false;
    for (const Phase* phase = &own; !phase->name.empty(); phase = &phases[phase->parent])
      is = is || names_optimizer(phase->name);
    out.push_back(is);
  }
  return out;
}

std::int64_t time_in_counted_steps(const JudgedRun& run, Cause cause) {
  std::int64_t out = 0;
  for (const Segment& s : run.segments())
    if (s.cause == cause && run.counts(s.time.begin)) out += s.time.length();
  return out;
}

}  // namespace

double uncertainty_of_mean(const std::vector<std::int64_t>& walls) {
  if (walls.size() < 2) return 0;
  return kDeviationOfMedian * static_cast<double>(median_absolute_deviation(walls)) /
         std::sqrt(static_cast<double>(walls.size()));
}

JudgedRun::JudgedRun(const Trace& t, const Steps& s, const Attribution& a, const Summary& sums,
                     const Forecaster& f)
    : trace(t),
      steps(s),
      attribution(a),
      summary(sums),
      forecaster(f),
      step_ns(sums.partition.wall_ns_per_step()),
      has_device(t.device_ops().size() > 0),
      language(language_of(t, s.process)),
      inflated(a.inflated && !sums.partition.corrected_step_ns),
      sites(nearest_sites(t)),
      optimizer_phases(find_optimizer_phases(a.phases)),
      explained_(a.process.segments.size(), 0) {
  std::vector<std::int64_t> walls;
  std::vector<Interval> windows;
  for (const std::uint32_t row : sums.counted) {
    windows.push_back(s.list[row].window);
    walls.push_back(s.list[row].wall_ns());
  }
  windows_ = unite(std::move(windows));
  noise_ns = uncertainty_of_mean(walls);
  if (sums.partition.corrected_step_ns) {
    const double busy = per_step(sums.partition.device_busy_ns_total);
    const auto plain = static_cast<double>(*sums.partition.corrected_step_ns);
    if (step_ns > busy) idle_scale_ = std::clamp((plain - busy) / (step_ns - busy), 0.0, 1.0);
    wall_scale_ = step_ns > 0 ? plain / step_ns : 1;
    step_ns = plain;
  }
  free_step_ns = step_ns - idle_per_step(time_in_counted_steps(*this, Cause::host_core_wait));
  calls = host_calls(*this);
}

double JudgedRun::unknown_per_step() const {
  return per_step(time_in_counted_steps(*this, Cause::unknown) +
                  time_in_counted_steps(*this, Cause::host_other));
}

double JudgedRun::per_step(std::int64_t ns) const {
  return static_cast<double>(ns) /
         static_cast<double>(std::max<std::size_t>(1, summary.counted.size()));
}

double JudgedRun::least_ns(double noise) const {
  return std::max(kLeastShareOfStep * free_step_ns,
                  std::min(kLeastNoises * noise, kMostOfNoise * free_step_ns));
}

bool JudgedRun::counts(std::int64_t time) const {
  const auto after =
      std::upper_bound(windows_.begin(), windows_.end(), time,
                       [](std::int64_t at, const Interval& window) { return at < window.end; });
  return after != windows_.end() && after->begin <= time;
}

const Segment* JudgedRun::segment_at(std::int64_t time) const {
  const auto after =
      std::ranges::upper_bound(segments(), time, {}, [](const Segment& s) { return s.time.begin; });
  return after == segments().begin() ? nullptr : &*(after - 1);
}

bool JudgedRun::in_optimizer(std::int64_t time) const {
  const Segment* at = segment_at(time);
  return at != nullptr && optimizer_phases[at->phase];
}

bool JudgedRun::makes_input(std::int64_t time) const {
  const Segment* at = segment_at(time);
  return at != nullptr &&
         (at->cause == Cause::host_data_wait || at->cause == Cause::host_data_take);
}

bool JudgedRun::counts_op(DeviceOpId op) const {
  const DeviceOps& d = trace.device_ops();
  return counts(d.begin[op]) && trace.data().streams[d.stream[op]].process == steps.process;
}

std::int64_t JudgedRun::unexplained_ns(std::size_t segment) const {
  const Interval time = segments()[segment].time;
  return counts(time.begin) ? time.length() - explained_[segment] : 0;
}

void JudgedRun::explain(const Explained& parts) {
  for (const auto& [segment, ns] : parts) {
    explained_[segment] = std::min(segments()[segment].time.length(), explained_[segment] + ns);
  }
}

std::string_view JudgedRun::phase_name(PhaseId phase) const {
  return phase == 0 ? std::string_view() : std::string_view(attribution.phases[phase].name);
}

std::string JudgedRun::line_text(SiteId site) const {
  if (site == kNone) return "";
  const Site& at = trace.data().sites[site];
  return fmt::format("{}:{}", short_file(trace.text(at.file)), at.line);
}

}  // namespace stepscope::rules
