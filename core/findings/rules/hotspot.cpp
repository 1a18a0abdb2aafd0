// SPDX-License-Identifier: Apache-2.0
// hotspot: one class of device work other than matrix products takes much of its phase.
//
//   fires where   class in {select, reduce, elementwise, other}; time(class, phase) >= 20 % of the
//                 phase's wall time, and >= 3 % of the step (and >= least)
//                 Without a device the classes of the operations on the CPU: host.compute.*
//   chains        reduce and elementwise kernels and copies within the device, with no other kernel between,
//                 where all but the longest of each chain are 30 % of the phase's chains at least: then
//                 the finding is of the chains, whichever of their classes fires
//   ceiling       of chains: all but the longest of each. Else half of it: what a better algorithm may
//                 give is an assumption (a tenth to all but a tenth), and is measured by trying
//   rows          on the CPU torch.compile makes one loop of what reads or adds to rows by their index, where
//                 gradients are made: 0.8 of that goes (0.3 to 0.95)
//   CUDA graphs that are one op each are no hotspot: what runs inside is not known. Nor are random
//   numbers on the CPU.
//   A compiler makes the gradients of what it compiles, so element-wise work of the backward pass is one
//   finding with that of the phase that has most of it forward.
//   What loop_invariant and unfused_attention explain is theirs, and the optimizer's phase is
//   unfused_optimizer's. At most the three largest are reported.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_operations.hpp"
#include "core/findings/hotspots.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kHotspot = "hotspot";
constexpr double kHotspotLeastGain = 0.1, kMostGain = 0.9;
// Compiling saves this share of rows that are read or added to by their index: 2 to 94 % in seven programs.
constexpr double kGainOfRows = 0.8, kLeastGainOfRows = 0.3, kMostGainOfRows = 0.95;
constexpr double kMostOfIt = 0.5;  // share of a hotspot from which one operation is named

bool is_elementwise(Cause cause) {
  return cause == Cause::gpu_elementwise || cause == Cause::host_compute_elementwise;
}

std::string_view what_it_is(Cause cause) {
  switch (cause) {
    case Cause::gpu_select:
    case Cause::host_compute_select:
      return "top-k and sorting";
    case Cause::gpu_reduce:
    case Cause::host_compute_reduce:
      return "reductions";
    case Cause::gpu_elementwise:
      return "element-wise kernels";
    case Cause::host_compute_elementwise:
      return "element-wise operations";
    case Cause::host_compute_other:
      return "operations of no known class";
    default:
      return "kernels of no known class";
  }
}

// Makes the fix. What fusing gives follows from the chains; what a better algorithm gives is
// assumed.
Fix faster_by(const JudgedRun& run, const Hotspot& spot, std::vector<DeviceOpId> ops,
              double& stays) {
  Fix out;
  if (spot.chains) {
    stays = spot.chains->stays();
    out.kind = FixKind::fuse_work;
    out.factor = out.factor_low = out.factor_high = 0;
    set_ops(out, spot.chains->ops, kHotspot);
    return out;
  }
  const auto gain = [&spot](double rows, double rest) {
    return spot.of_rows * rows + (1 - spot.of_rows) * rest;
  };
  stays = 1 - gain(kGainOfRows, kAssumedGain);
  out.kind = FixKind::scale_work;
  out.factor = stays;
  out.factor_low = 1 - gain(kMostGainOfRows, kMostGain);
  out.factor_high = 1 - gain(kLeastGainOfRows, kHotspotLeastGain);
  if (run.has_device) {
    set_ops(out, std::move(ops), kHotspot);
  } else {
    for (double* factor : {&out.factor, &out.factor_low, &out.factor_high})
      *factor = 1 - (1 - *factor) * spot.of_cause;
    out.scope.cause = spot.cause;
    if (spot.phase != 0) out.scope.phases = {spot.phase};
  }
  return out;
}

// Names the operation on the CPU that holds most of a hotspot. Kernels have names of a line's length,
// and a table of their own.
class OperationTimes {
 public:
  void add(const JudgedRun& run, const Segment& s, std::int64_t ns) {
    if (!run.has_device && s.host_evidence != kNone)
      times_[run.trace.text(run.trace.host_ranges().name[s.host_evidence])] += ns;
  }
  std::string text(std::int64_t whole) const {
    for (const auto& [name, ns] : times_)
      if (static_cast<double>(ns) > kMostOfIt * static_cast<double>(whole))
        return fmt::format("; {} of that is {}",
                           percent(static_cast<double>(ns) / static_cast<double>(whole)), name);
    return "";
  }

 private:
  std::map<std::string_view, std::int64_t> times_;
};

// Whether operations make nodes for a backward pass: the counter of nodes, which an operation reads
// when it begins, goes on from one to the next. Under torch.no_grad() it stands still.
class GradientNodes {
 public:
  void add(const JudgedRun& run, const Segment& s) {
    if (s.host_evidence == kNone) return;
    const std::uint32_t node = run.trace.host_ranges().sequence[s.host_evidence];
    operations_.insert(s.host_evidence);
    if (node != kNoSequence) nodes_.insert(node);
  }
  bool are_made() const { return !nodes_.empty() && 2 * nodes_.size() >= operations_.size(); }

 private:
  std::set<RangeId> operations_;
  std::set<std::uint32_t> nodes_;
};

Advice advice_for(Cause cause, bool makes_gradients) {
  switch (cause) {
    case Cause::gpu_select:
    case Cause::host_compute_select:
      return Advice::hotspot_select;
    case Cause::gpu_reduce:
      return Advice::hotspot_reduce;
    case Cause::host_compute_reduce:  // statistics for a log are no part of a model
      return makes_gradients ? Advice::hotspot_reduce : Advice::hotspot_other;
    case Cause::gpu_elementwise:
      return Advice::hotspot_elementwise;
    case Cause::host_compute_elementwise:
      return makes_gradients ? Advice::hotspot_elementwise_with_gradients
                             : Advice::hotspot_elementwise_without_device;
    default:
      return Advice::hotspot_other;
  }
}

// This sums what the segments of a hotspot hold.
struct SpotWork {
  explicit SpotWork(const JudgedRun& run) : price(run) {}
  Price price;
  std::uint64_t calls = 0;
  OperationTimes operations;
  GradientNodes gradients;
};

// Returns the device operations of the spot, and adds its work to `out`.
std::vector<DeviceOpId> add_work(const JudgedRun& run, const Hotspot& spot, SpotWork& out) {
  const std::vector<bool> trained = sites_with_gradients(run);
  std::vector<DeviceOpId> ops;
  std::uint32_t last = kNone;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!spot.holds(s) || run.unexplained_ns(i) <= 0) continue;
    if (is_whole_graph(run, s) || is_as_good_as_compiled(run, trained, s)) continue;
    out.price.add(s, run.unexplained_ns(i));
    out.operations.add(run, s, run.unexplained_ns(i));
    out.gradients.add(run, s);
    ops.push_back(s.device_evidence);
    const std::uint32_t work = run.has_device ? s.device_evidence : s.host_evidence;
    if (work != last) ++out.calls;
    last = work;
  }
  return ops;
}

std::string phase_text(const JudgedRun& run, PhaseId id) {
  const std::string phase(run.phase_name(id));
  return phase.empty() ? "the time outside any phase" : "'" + phase + "'";
}

// One finding of several spots that one repair makes faster: one of the forward pass, and its gradients.
Finding hotspot_finding(const JudgedRun& run, const std::vector<Hotspot>& spots) {
  SpotWork work(run);
  std::int64_t all_ns = 0;
  double ceiling = 0;
  std::string shares;
  std::vector<Fix> fixes;
  bool makes_gradients = false;
  for (const Hotspot& spot : spots) {
    std::vector<DeviceOpId> ops = add_work(run, spot, work);
    if (fixes.empty()) makes_gradients = work.gradients.are_made();
    double stays = 1;
    fixes.push_back(faster_by(run, spot, std::move(ops), stays));
    ceiling += (1 - stays) * run.per_step(spot.ns);
    all_ns += spot.ns;
    shares += fmt::format("{}{} of {}", shares.empty() ? "" : " and ", percent(spot.of_phase),
                          phase_text(run, spot.phase));
  }
  const double ns = run.per_step(all_ns);
  Finding out = work.price.finding(ns);
  out.fixes = std::move(fixes);
  out.ceiling_ns_per_step = ceiling;
  out.count_per_step = run.count_per_step(work.calls);
  out.title = fmt::format("{}{} take {} a step, {}{}", what_it_is(spots.front().cause),
                          spots.front().chains ? " and what stands in chains with them" : "",
                          format_duration(ns), shares, work.operations.text(all_ns));
  advise(advice_for(spots.front().cause, makes_gradients), run.language, out);
  out.falsified_by =
      "skipping this work (for a test, with stale or random results in its place) does not make "
      "the "
      "step shorter by about " +
      format_duration(ns);
  out.certainty = Certainty::assumption;
  return out;
}

bool is_same_work(const Hotspot& a, const Hotspot& b) {
  return a.cause == b.cause || (a.chains && b.chains);
}

// Puts what the backward pass does to the largest spot of the same work in another phase.
std::vector<std::vector<Hotspot>> with_gradients(const JudgedRun& run,
                                                 const std::vector<Hotspot>& spots) {
  std::vector<std::vector<Hotspot>> out;
  const auto is_backward = [&run](const Hotspot& spot) {
    return run.phase_name(spot.phase) == "backward" && (is_elementwise(spot.cause) || spot.chains);
  };
  for (const Hotspot& spot : spots)
    if (!is_backward(spot)) out.push_back({spot});
  for (const Hotspot& spot : spots) {
    if (!is_backward(spot)) continue;
    const auto forward = std::ranges::find_if(
        out, [&spot](const auto& group) { return is_same_work(group.front(), spot); });
    if (forward == out.end())
      out.push_back({spot});
    else
      forward->push_back(spot);
  }
  return out;
}

}  // namespace

Judgement judge_hotspot(const JudgedRun& run) {
  const std::vector<Hotspot> spots = find_hotspots(run);
  if (spots.empty())
    return cleared(run.has_device
                       ? "no class of device work beside matrix products takes 20 % of its phase "
                         "and 3 % of the step"
                       : "no class of operations beside matrix products takes 20 % of its phase "
                         "and 3 % of the step");
  Judgement out;
  for (const std::vector<Hotspot>& group : with_gradients(run, spots))
    out.found.push_back(hotspot_finding(run, group));
  return out;
}

}  // namespace stepscope::rules
