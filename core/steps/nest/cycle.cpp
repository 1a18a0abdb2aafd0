// SPDX-License-Identifier: Apache-2.0
#include "core/steps/nest/cycle.hpp"

#include <algorithm>
#include <map>

#include "core/model/row_order.hpp"
#include "core/steps/finders/finders.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/hand_updates.hpp"
#include "core/steps/shares.hpp"

namespace stepscope {
namespace {

bool any_in_backward(const HostRanges& h, const std::vector<RangeId>& ranges) {
  const std::vector<RangeId> enclosing = enclosing_ranges(h);
  return std::any_of(ranges.begin(), ranges.end(), [&](RangeId range) {
    while (range != kNone && h.kind[range] != HostKind::backward_node) range = enclosing[range];
    return range != kNone;
  });
}

// The nodes of the name that comes least often: a pass has one of its loss, however many layers it
// goes through.
Kind rarest_node(const Activity& activity) {
  const HostRanges& h = activity.trace->host_ranges();
  std::map<StringId, Kind> nodes;
  for (RangeId range = 0; range < h.size(); ++range)
    if (std::ranges::binary_search(activity.backward, h.begin[range]) &&
        activity.is_backward(range))
      nodes[h.name[range]].push_back(h.begin[range]);
  if (nodes.empty()) return {};
  Kind out = std::ranges::min_element(nodes, {}, [](const auto& one) {
               return one.second.size();
             })->second;
  std::ranges::sort(out);
  return out;
}

// Updates written by hand mark a step as an optimizer's step does, in the process whose loop it is.
void add_hand_updates(const Activity& activity, Cycle& out) {
  Kind begins = hand_updates_of(*activity.trace).begins[out.thread];
  std::erase_if(begins, [&](std::int64_t time) {
    return time < activity.host.begin || time > activity.host.end;
  });
  if (begins.size() < kFewestRepeats) return;
  out.kinds.push_back(std::move(begins));
  out.marking = 1;
}

}  // namespace

Cycle cycle_of(const Activity& activity) {
  Cycle out{.thread = thread_of_loops(activity)};
  const std::vector<RangeId> scopes = activity.annotations_that(is_optimizer_step);
  if (!scopes.empty()) {
    const MarkedThread marks = choose_thread(activity, scopes);
    const std::vector<SiteId>& site = activity.trace->host_ranges().site;
    std::map<std::pair<std::string_view, SiteId>, Kind> kinds;
    for (const RangeId range : marks.ranges)
      kinds[{activity.name(range), site[range]}].push_back(activity.time(range).begin);
    for (auto& [name, times] : kinds) out.kinds.push_back(std::move(times));
    out.thread = marks.thread;
    out.marking = out.optimizers = out.kinds.size();
    out.steps_in_backward = any_in_backward(activity.trace->host_ranges(), marks.ranges);
  }
  for (const RangeId fetch : loader_fetches(activity, out.thread))
    out.fetches.push_back(activity.time(fetch).begin);
  if (out.optimizers == 0 && out.thread != kNone) add_hand_updates(activity, out);
  if (!activity.backward.empty()) out.kinds.push_back(activity.backward);
  if (out.optimizers == 0) out.passes = rarest_node(activity);
  if (out.kinds.empty() && !out.fetches.empty()) out.kinds.push_back(out.fetches);
  if (out.marking == 0) out.marking = out.kinds.size();
  return out;
}

bool holds(Interval time, const Kind& kind) {
  const auto at = std::ranges::lower_bound(kind, time.begin);
  return at != kind.end() && *at < time.end;
}

bool holds(Interval time, const Cycle& cycle, std::size_t kinds) {
  return std::any_of(cycle.kinds.begin(), cycle.kinds.begin() + static_cast<std::ptrdiff_t>(kinds),
                     [&](const Kind& kind) { return holds(time, kind); });
}

bool asks_at(const NestLoop& loop, std::int64_t time) {
  if (loop.iteration_at(time) != kNone) return true;
  const auto later =
      std::upper_bound(loop.last_requests.begin(), loop.last_requests.end(), time,
                       [](std::int64_t t, const Interval& one) { return t < one.begin; });
  return later != loop.last_requests.begin() && (later - 1)->contains(time);
}

std::size_t count_in(const NestLoop& loop, const Kind& times) {
  return static_cast<std::size_t>(
      std::count_if(times.begin(), times.end(), [&](std::int64_t t) { return asks_at(loop, t); }));
}

}  // namespace stepscope
