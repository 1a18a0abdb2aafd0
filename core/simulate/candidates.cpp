// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/selection.hpp"

#include <functional>
#include <map>

#include "core/simulate/edits/edit.hpp"

namespace stepscope {
namespace {

constexpr double kManyCopies = 4;     // at a line, a step
constexpr double kManyLaunches = 50;  // launches of a step, or of its optimizer alone
constexpr std::size_t kMostOfAKind = 12;

struct PlaceOfWork {
  PhaseId phase;
  SiteId site;
  auto operator<=>(const PlaceOfWork&) const = default;  // NOLINT(modernize-use-nullptr)
};

using PlaceCounts = std::map<PlaceOfWork, double>;

// The places with the most, at least `least` a step.
void add_fixes(FixKind kind, const PlaceCounts& counts, double least, std::vector<Fix>& out) {
  std::map<PlaceOfWork, double> merged;  // a line in several phases is one
  for (const auto& [place, n] : counts)
    merged[place.site == kNone ? place : PlaceOfWork{0, place.site}] += n;
  std::multimap<double, PlaceOfWork, std::greater<>> ordered;
  for (const auto& [place, n] : merged) {
    if (n >= least) ordered.emplace(n, place);
  }
  std::size_t added = 0;
  for (const auto& [n, place] : ordered) {
    if (++added > kMostOfAKind) return;
    Fix fix{.kind = kind};
    if (place.site != kNone) {
      fix.scope.sites = {place.site};
    } else if (place.phase != 0) {
      fix.scope.phases = {place.phase};
    }
    out.push_back(fix);
  }
}

struct FoundWork {
  PlaceCounts waits, pageable, copies;
  double launches = 0;
  double optimizer = 0;
  bool waits_for_data = false;
  bool communicates = false;
};

void look_at(const TaskGraph& graph, const HostTask& task, double share, FoundWork& found) {
  const PlaceOfWork place{task.phase, task.site};
  const bool download = all_are(graph, task, CopyKind::device_to_host);
  if (is_sync(task.api) || (task.wait == WaitKind::own_ops && download))
    found.waits[place] += share;
  if (task.api == ApiKind::launch_kernel) found.launches += share;
  if (download || all_are(graph, task, CopyKind::host_to_device)) found.copies[place] += share;
  if (task.cause == Cause::host_data_wait) found.waits_for_data = true;
  bool pageable = false;
  for (const DeviceTask& op : graph.ops_of(task)) {
    pageable |= op.cause == Cause::copy_h2d_pageable;
    found.optimizer += op.cause == Cause::gpu_optimizer ? share : 0;
    found.communicates |= op.cause == Cause::comm_transfer;
  }
  if (pageable) found.pageable[place] += share;
}

}  // namespace

std::vector<Fix> candidate_fixes(const TaskGraph& graph) {
  FoundWork found;
  double steps = 0;
  for (const SampledStep& step : graph.steps) steps += step.stands_for;
  for (const HostTask& task : graph.host)
    look_at(graph, task, graph.steps[task.step].stands_for / steps, found);
  std::vector<Fix> out;
  add_fixes(FixKind::remove_sync, found.waits, 0, out);
  if (found.waits.size() > 1) out.push_back({.kind = FixKind::remove_sync});
  add_fixes(FixKind::pin_memory, found.pageable, 0, out);
  add_fixes(FixKind::merge_copies, found.copies, kManyCopies, out);
  if (found.waits_for_data) out.push_back({.kind = FixKind::prefetch_input});
  if (found.optimizer >= kManyLaunches) out.push_back({.kind = FixKind::fuse_optimizer});
  if (found.launches >= kManyLaunches) out.push_back({.kind = FixKind::capture_graph});
  if (found.communicates) out.push_back({.kind = FixKind::overlap_transfer});
  return out;
}

}  // namespace stepscope
