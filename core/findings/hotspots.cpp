// SPDX-License-Identifier: Apache-2.0
#include "core/findings/hotspots.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/findings/host_operations.hpp"
#include "core/findings/repeated_pass.hpp"

namespace stepscope::rules {
namespace {

constexpr double kLeastOfPhase = 0.20;
constexpr double kLeastOfStep = 0.03;
constexpr std::int64_t kSmallNs = 20'000;  // half of the operations take less
// Share of a phase's chains that stays at most, where fusing is the fix.
constexpr double kWorthFusing = 0.7;
constexpr std::size_t kMostHotspots = 3;

bool is_candidate(Cause cause) {
  return cause == Cause::gpu_select || cause == Cause::gpu_reduce ||
         cause == Cause::gpu_elementwise || cause == Cause::gpu_other;
}

// These only move memory: a compiler fuses chains of them.
bool is_fusible(Cause cause) {
  return cause == Cause::gpu_elementwise || cause == Cause::gpu_reduce;
}

// Copies and fills within the device are fused as well.
bool is_in_chain(Cause cause) {
  return is_fusible(cause) || cause == Cause::copy_d2d || cause == Cause::copy_set;
}

FusibleChains chains_of(const JudgedRun& run, PhaseId phase) {
  FusibleChains out;
  const DeviceOps& d = run.trace.device_ops();
  for (StreamId stream = 0; stream < run.trace.data().streams.size(); ++stream) {
    if (run.trace.data().streams[stream].process != run.steps.process) continue;
    std::int64_t longest = 0;
    for (const DeviceOpId op : run.trace.ops_of(stream)) {
      const auto& placed = run.attribution.ops[op];
      if (placed.phase != phase || !is_in_chain(placed.cause)) {
        out.longest_ns += std::exchange(longest, 0);
        continue;
      }
      out.ops.push_back(op);
      out.ns += d.end[op] - d.begin[op];
      longest = std::max(longest, d.end[op] - d.begin[op]);
    }
    out.longest_ns += longest;
  }
  return out;
}

// Whether a cause may be a hotspot of a run without a device.
bool is_cpu_candidate(Cause cause) {
  return cause == Cause::host_compute_select || cause == Cause::host_compute_reduce ||
         cause == Cause::host_compute_elementwise || cause == Cause::host_compute_other;
}

// Whether torch.compile leaves the time of a host's chains as it is: it does not compile them, or they are
// so small that they take what any operation takes, and it does not join them.
bool stays_when_compiled(const JudgedRun& run) {
  if (run.has_device || run.language != Language::python) return false;
  const OperationCount count = count_operations(run);
  if (!why_not_compiled(run, count).empty()) return true;
  if (count.median_ns >= kSmallNs) return false;
  const auto pass = find_repeated_pass(run);
  return (pass && pass->may_be_layers) || !why_not_joined(run, count).empty();
}

double share_of(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Time over all counted steps, without waits for a core.
struct PhaseTimes {
  using ByClass = std::map<std::pair<PhaseId, Cause>, std::int64_t>;
  std::map<PhaseId, std::int64_t> walls;
  std::map<PhaseId, std::int64_t> chained;  // sum over the classes that chains are made of
  ByClass may_shorten, stays, rows;
};

PhaseTimes times_of_phases(const JudgedRun& run) {
  PhaseTimes out;
  const bool stays_on_host = stays_when_compiled(run);
  const std::vector<bool> compiled = compiled_sites(run), trained = sites_with_gradients(run);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!run.counts(s.time.begin) || s.cause == Cause::host_core_wait) continue;
    out.walls[s.phase] += s.time.length();
    if (run.optimizer_phases[s.phase] || is_whole_graph(run, s)) continue;
    const std::int64_t ns = run.unexplained_ns(i);
    if (is_in_chain(s.cause)) out.chained[s.phase] += ns;
    if (!(run.has_device ? is_candidate(s.cause) : is_cpu_candidate(s.cause))) continue;
    const bool stays = is_as_good_as_compiled(run, trained, s) ||
                       (stays_on_host && is_joined(s.cause) && is_compiled(run, compiled, s));
    (stays ? out.stays : out.may_shorten)[{s.phase, s.cause}] += ns;
    if (is_of_rows(run, s) && s.site != kNone && trained[s.site])
      out.rows[{s.phase, s.cause}] += ns;
  }
  return out;
}

// Makes one spot of the chains of each phase that has any worth fusing.
std::vector<Hotspot> with_chains_joined(const JudgedRun& run, const PhaseTimes& times,
                                        std::vector<Hotspot> spots) {
  std::vector<Hotspot> out;
  std::set<PhaseId> joined;
  for (Hotspot& spot : spots) {
    if (is_fusible(spot.cause)) {
      if (joined.contains(spot.phase)) continue;
      FusibleChains chains = chains_of(run, spot.phase);
      if (chains.stays() <= kWorthFusing) {
        joined.insert(spot.phase);
        spot.ns = times.chained.at(spot.phase);
        spot.of_phase = share_of(spot.ns, times.walls.at(spot.phase));
        spot.chains = std::move(chains);
      }
    }
    out.push_back(std::move(spot));
  }
  return out;
}

}  // namespace

bool Hotspot::holds(const Segment& s) const {
  return s.phase == phase && (chains ? is_in_chain(s.cause) : s.cause == cause);
}

bool is_whole_graph(const JudgedRun& run, const Segment& s) {
  return s.device_evidence != kNone &&
         run.trace.device_ops().kind[s.device_evidence] == DeviceOpKind::graph;
}

std::vector<Hotspot> find_hotspots(const JudgedRun& run) {
  PhaseTimes times = times_of_phases(run);
  std::vector<Hotspot> out;
  for (const auto& [key, ns] : times.may_shorten) {
    const double of_phase = share_of(ns, times.walls[key.first]);
    const double ns_per_step = run.per_step(ns);
    if (of_phase >= kLeastOfPhase && run.weight(ns_per_step) >= kLeastOfStep &&
        kAssumedGain * ns_per_step >= run.least_ns())
      out.push_back({key.second, key.first, ns, of_phase, share_of(ns, ns + times.stays[key]),
                     std::min(1.0, share_of(times.rows[key], ns))});
  }
  const auto is_larger = [](const Hotspot& a, const Hotspot& b) { return a.ns > b.ns; };
  std::stable_sort(out.begin(), out.end(), is_larger);
  out = with_chains_joined(run, times, std::move(out));
  std::stable_sort(out.begin(), out.end(), is_larger);
  if (out.size() > kMostHotspots) out.resize(kMostHotspots);
  return out;
}

}  // namespace stepscope::rules
