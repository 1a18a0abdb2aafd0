// SPDX-License-Identifier: Apache-2.0
#include "core/findings/rules/hotspot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kHotspot = "hotspot";
constexpr double kLeastOfPhase = 0.20;
constexpr double kLeastOfStep = 0.03;
constexpr double kAssumedGain = 0.5, kHotspotLeastGain = 0.1, kMostGain = 0.9;
constexpr std::size_t kMostHotspots = 3;

bool is_candidate(Cause cause) {
  return cause == Cause::gpu_select || cause == Cause::gpu_reduce ||
         cause == Cause::gpu_elementwise || cause == Cause::gpu_other;
}

// What ran inside it is not known.
bool is_whole_graph(const Scene& scene, const Segment& s) {
  return s.device_evidence != kNone &&
         scene.trace.device_ops().kind[s.device_evidence] == DeviceOpKind::graph;
}

struct Hotspot {
  Cause cause = Cause::gpu_other;
  PhaseId phase = 0;
  std::int64_t ns = 0;
  double of_phase = 0;
};

std::vector<Hotspot> find_hotspots(const Scene& scene) {
  std::map<PhaseId, std::int64_t> walls;
  std::map<std::pair<PhaseId, Cause>, std::int64_t> sums;
  for (std::size_t i = 0; i < scene.segments().size(); ++i) {
    const Segment& s = scene.segments()[i];
    if (!scene.counts(s.time.begin)) continue;
    walls[s.phase] += s.time.length();
    if (is_candidate(s.cause) && !scene.optimizer_phases[s.phase] && !is_whole_graph(scene, s))
      sums[{s.phase, s.cause}] += scene.unexplained_ns(i);
  }
  std::vector<Hotspot> out;
  for (const auto& [key, ns] : sums) {
    const double of_phase = static_cast<double>(ns) / static_cast<double>(walls[key.first]);
    const double ns_per_step = scene.per_step(ns);
    if (of_phase >= kLeastOfPhase && scene.share(ns_per_step) >= kLeastOfStep &&
        kAssumedGain * ns_per_step >= scene.least_ns())
      out.push_back({key.second, key.first, ns, of_phase});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Hotspot& a, const Hotspot& b) { return a.ns > b.ns; });
  if (out.size() > kMostHotspots) out.resize(kMostHotspots);
  return out;
}

std::string_view what_it_is(Cause cause) {
  switch (cause) {
    case Cause::gpu_select:
      return "top-k and sorting";
    case Cause::gpu_reduce:
      return "reductions";
    case Cause::gpu_elementwise:
      return "element-wise kernels";
    default:
      return "kernels of no known class";
  }
}

struct Advice {
  const char* fix;
  const char* code_hint;
};

Advice advice_for(Cause cause) {
  switch (cause) {
    case Cause::gpu_select:
      return {
          "select without sorting: top-k with sorted=False, a threshold (the k-th value, or last "
          "step's) and a comparison, or a kernel that selects by radix; keep a mask rather than "
          "indices",
          "kth = torch.topk(keys, k, sorted=False).values.amin()\nmask = keys >= kth"};
    case Cause::gpu_reduce:
      return {
          "fuse the reduction with what makes its input (torch.compile, or a fused norm or "
          "loss), and reduce once rather than once for each part",
          "model = torch.compile(model)"};
    case Cause::gpu_elementwise:
      return {
          "each of these kernels reads and writes all of its tensors: fuse chains of them "
          "(torch.compile), drop casts and copies, and use in-place or fused forms",
          "block = torch.compile(block)"};
    default:
      return {"look at what these kernels do, and whether a library has a faster form of it", ""};
  }
}

Finding hotspot_finding(const Scene& scene, const Hotspot& spot) {
  Price price(scene);
  std::uint64_t calls = 0;
  DeviceOpId last = kNone;
  std::vector<DeviceOpId> ops;
  for (std::size_t i = 0; i < scene.segments().size(); ++i) {
    const Segment& s = scene.segments()[i];
    if (s.cause != spot.cause || s.phase != spot.phase || scene.unexplained_ns(i) <= 0) continue;
    if (is_whole_graph(scene, s)) continue;
    price.add(s, scene.unexplained_ns(i));
    ops.push_back(s.device_evidence);
    if (s.device_evidence != last) ++calls;
    last = s.device_evidence;
  }
  const double ns = scene.per_step(spot.ns);
  Finding out = price.finding(kHotspot, ns);
  out.ceiling_ns_per_step = kAssumedGain * ns;
  out.count_per_step = scene.count_per_step(calls);
  const std::string phase(scene.phase_name(spot.phase));
  out.title = fmt::format("{} take {} a step, {} of {}", what_it_is(spot.cause),
                          format_duration(ns), percent(spot.of_phase),
                          phase.empty() ? "the time outside any phase" : "'" + phase + "'");
  Fix faster;
  faster.kind = FixKind::scale_work;
  faster.factor = 1 - kAssumedGain;
  faster.factor_low = 1 - kMostGain;
  faster.factor_high = 1 - kHotspotLeastGain;
  set_ops(faster, std::move(ops), kHotspot);
  out.fixes = {faster};
  const Advice advice = advice_for(spot.cause);
  out.fix = advice.fix;
  out.code_hint = advice.code_hint;
  out.falsified_by =
      "skipping this work (for a test, with stale or random results in its place) does not make "
      "the "
      "step shorter by about " +
      format_duration(ns);
  out.certainty = Certainty::assumption;
  return out;
}

}  // namespace

void judge_hotspot(Scene& scene, Findings& out) {
  const std::vector<Hotspot> spots = find_hotspots(scene);
  if (spots.empty())
    return clear(
        out, kHotspot,
        "no class of device work beside matrix products takes 20 % of its phase and 3 % of "
        "the step");
  for (const Hotspot& spot : spots) add_finding(scene, hotspot_finding(scene, spot), out);
}

}  // namespace stepscope::rules
