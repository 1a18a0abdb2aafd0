// SPDX-License-Identifier: Apache-2.0
#include "core/findings/wait_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/support/duration.hpp"

namespace stepscope::rules {

std::int64_t long_stretch_ns(const JudgedRun& run) {
  constexpr double kOfStep = 0.2;
  constexpr long long kLeastNs = 100'000;
  if (run.has_device) return kLongStretchNs;
  return std::clamp(std::llround(kOfStep * run.free_step_ns), kLeastNs,
                    static_cast<long long>(kLongestWayNs));
}

std::string long_stretch_text(const JudgedRun& run) {
  if (run.has_device) return "a millisecond";
  return long_stretch_ns(run) == kLongestWayNs ? format_duration(kLongestWayNs)
                                               : "a fifth of the step";
}

OwnStretches::OwnStretches(const JudgedRun& run) : run_(run), least_ns_(long_stretch_ns(run)) {
  const HostRanges& h = run.trace.host_ranges();
  const Rows rows = run.trace.ranges_of(run.steps.thread);
  for (RangeId r = rows.begin; r < rows.end && !run.has_device; ++r) {
    if (h.kind[r] == HostKind::python_function || run.sites[r] == kNone) continue;
    const Site& site = run.trace.data().sites[run.sites[r]];
    recorded_.insert({site.file, site.line});
  }
}

bool OwnStretches::holds(const Segment& segment) const {
  if (segment.time.length() >= least_ns_) return true;
  if (recorded_.empty() || segment.site == kNone) return false;
  const Site& site = run_.trace.data().sites[segment.site];
  return recorded_.count({site.file, site.line}) == 0;
}

std::vector<WaitLine> wait_lines(const JudgedRun& run, const std::vector<HostWait>& waits,
                                 const std::vector<bool>& chosen, const RunAhead& ahead) {
  std::map<std::pair<SiteId, PhaseId>, WaitLine> lines;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const HostWait& wait = waits[i];
    if (!chosen[i] || !run.counts(wait.time.begin)) continue;
    WaitLine& line = lines[{wait.site, wait.site == kNone ? wait.phase : 0}];
    line.site = wait.site;
    line.phase = wait.phase;
    line.waits.push_back(i);
    ++line.count;
    line.waited += wait.time.length();
    line.caused += ahead.caused[i];
    line.bytes += wait.bytes;
  }
  std::vector<WaitLine> out;
  for (auto& [key, line] : lines) out.push_back(std::move(line));
  std::stable_sort(out.begin(), out.end(), [](const WaitLine& a, const WaitLine& b) {
    return a.caused != b.caused ? a.caused > b.caused : a.waited > b.waited;
  });
  return out;
}

std::string place_text(const JudgedRun& run, const WaitLine& line) {
  if (line.site != kNone) return run.line_text(line.site);
  if (line.phase != 0) return fmt::format("phase '{}'", run.phase_name(line.phase));
  return "a place without a line";
}

std::string counted_text(const JudgedRun& run, std::uint64_t count, std::string_view noun) {
  const double each = run.count_per_step(count);
  const bool whole = each >= 10 || each == static_cast<double>(static_cast<std::int64_t>(each));
  return fmt::format("{:.{}f} {}{}", each,
                     whole      ? 0
                     : each < 1 ? 2
                                : 1,
                     noun, each == 1 ? "" : "s");
}

std::string shown_elsewhere(const JudgedRun& run, const RunAhead& ahead) {
  std::map<SiteId, std::int64_t> elsewhere;
  for (const auto& [lines, ns] : ahead.shown)
    if (lines.second != lines.first && lines.second != kNone) elsewhere[lines.second] += ns;
  const auto most =
      std::max_element(elsewhere.begin(), elsewhere.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == elsewhere.end() || 4 * most->second < ahead.total) return "";
  return fmt::format(
      "the tables above show {} of it at {}, the next thing that the host does: the wait before it "
      "is the reason",
      percent(static_cast<double>(most->second) / static_cast<double>(ahead.total)),
      run.line_text(most->first));
}

Explained explained_by_leads(const JudgedRun& run, const RunAhead& ahead) {
  Explained out;
  for (std::size_t i = 0; i < ahead.hidden.size(); ++i)
    if (run.segments()[i].time.length() < kLongStretchNs) out.emplace_back(i, ahead.hidden[i]);
  return out;
}

FixScope scope_of(const std::vector<SiteId>& sites, const Price& price) {
  FixScope scope;
  scope.sites = sites;
  if (!sites.empty()) return scope;
  for (const auto& [phase, ns] : price.by_phase())
    if (phase != 0) scope.phases.push_back(phase);
  return scope;
}

}  // namespace stepscope::rules
