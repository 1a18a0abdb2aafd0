// SPDX-License-Identifier: Apache-2.0
#include "core/findings/worker_starts.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/simulate/graph/loader_takes.hpp"
#include "core/simulate/graph/worker_time.hpp"

namespace stepscope::rules {
namespace {

SiteId site_at(const JudgedRun& run, std::int64_t time) {
  const auto& segments = run.segments();
  const auto at =
      std::ranges::upper_bound(segments, time, {}, [](const Segment& s) { return s.time.begin; });
  return at == segments.begin() ? kNone : (at - 1)->site;
}

void add_own_line(const JudgedRun& run, Interval between, SiteId line, IntervalSet& out) {
  const auto& segments = run.segments();
  auto s = std::ranges::lower_bound(segments, between.begin, {},
                                    [](const Segment& one) { return one.time.end; });
  for (; s != segments.end() && s->time.begin < between.end; ++s)
    if (s->site == line && is_host(s->cause)) out.push_back(intersect(s->time, between));
}

}  // namespace

WorkerStarts::WorkerStarts(const JudgedRun& run) {
  const LoaderTakes all(*run.attribution.index);
  const std::optional<double> making = worker_time(*run.attribution.index, all.all()).ns_a_batch;
  for (const EpochBegin& epoch : epoch_begins(*run.attribution.index, run.steps, all)) {
    const Interval last = all.all()[epoch.last].time, first = all.all()[epoch.first].time;
    if (!run.counts(last.begin) || !run.counts(first.begin)) continue;
    ++epochs;
    times.push_back(last);
    takes.push_back(last);
    takes.push_back(first);
    const Interval between{last.end, first.begin};
    add_own_line(run, between, site_at(run, between.end - 1), times);
    if (!making) continue;
    const Interval starting{first.begin, first.end - static_cast<std::int64_t>(*making)};
    if (!starting.empty()) times.push_back(starting);
  }
  times = unite(std::move(times));
  takes = unite(std::move(takes));
}

bool WorkerStarts::holds(const Segment& segment) const {
  return contains(times, segment.time.begin);
}

bool WorkerStarts::holds_epoch_begin(const Segment& segment) const {
  return holds(segment) || contains(takes, segment.time.begin);
}

}  // namespace stepscope::rules
