// SPDX-License-Identifier: Apache-2.0
#include "core/gate/usable_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope {
namespace {

bool same_recording(const Summary& x, const Summary& y) {
  const auto same_step = [](const Step& a, const Step& b) {
    return a.id == b.id && a.window.begin == b.window.begin && a.window.end == b.window.end;
  };
  return !x.steps.list.empty() && std::equal(x.steps.list.begin(), x.steps.list.end(),
                                             y.steps.list.begin(), y.steps.list.end(), same_step);
}

GateRun gate_run_of(const Summary& run) {
  return {.path = run.run.path,
          .device = run.run.device,
          .steps = run.partition.steps_counted,
          .step_ns = run.partition.wall_ns_per_step(),
          .clock_mhz = clock_of(run)};
}

std::string why_not_judged(const Policy& policy, const Summary& run) {
  if (run.trust.lost_chunks > 0)
    return fmt::format("{} chunk{} of the recording {} damaged or lost: record it again",
                       run.trust.lost_chunks, run.trust.lost_chunks == 1 ? "" : "s",
                       run.trust.lost_chunks == 1 ? "is" : "are");
  if (run.steps.found_by == FoundBy::whole_trace || run.steps.found_by == FoundBy::none)
    return "no steps were found in it";
  if (run.long_steps.left_out)
    return fmt::format("a trimmed report: {} long steps are left out", run.long_steps.steps);
  if (run.partition.steps_counted >= policy.least_steps) return "";
  return fmt::format("{} counted step{}, and the policy asks for {}", run.partition.steps_counted,
                     run.partition.steps_counted == 1 ? "" : "s", policy.least_steps);
}

// One side, with what may be timed still by place: null where it may not.
struct SideInWork {
  UsableRuns runs;
  std::vector<const Summary*> timed;
};

std::string why_known(const Summary& run, const std::vector<const Summary*>& known,
                      const char* side) {
  for (const Summary* other : known)
    if (other != nullptr && same_recording(run, *other))
      return fmt::format("the same recording as {} of the {}: its times tell nothing new",
                         other->run.path, side);
  return "";
}

SideInWork begin_side(const Policy& policy, const std::vector<Summary>& all, const char* side,
                      const std::vector<const Summary*>& others) {
  SideInWork out;
  for (const Summary& run : all) {
    GateRun row = gate_run_of(run);
    row.not_used = why_not_judged(policy, run);
    if (row.not_used.empty()) {
      out.runs.counted.push_back(&run);
      row.not_used = why_known(run, out.timed, side);
      if (row.not_used.empty()) row.not_used = why_known(run, others, "baseline");
    }
    out.timed.push_back(row.not_used.empty() ? &run : nullptr);
    out.runs.rows.push_back(std::move(row));
  }
  return out;
}

void drop_half_pairs(SideInWork& a, SideInWork& b) {
  for (std::size_t i = 0; i < std::max(a.timed.size(), b.timed.size()); ++i) {
    const bool whole = i < a.timed.size() && i < b.timed.size() && a.timed[i] && b.timed[i];
    if (whole) continue;
    if (i < a.timed.size()) a.timed[i] = nullptr;
    if (i < b.timed.size()) b.timed[i] = nullptr;
  }
}

UsableRuns finish(SideInWork side) {
  for (const Summary* run : side.timed)
    if (run != nullptr) side.runs.timed.push_back(run);
  return std::move(side.runs);
}

}  // namespace

std::optional<double> clock_of(const Summary& run) {
  for (const DeviceHealth& health : run.device_health)
    if (health.sm_clock_mhz && health.sm_clock_mhz->median > 0) return health.sm_clock_mhz->median;
  return std::nullopt;
}

UsableSides usable_runs(const Policy& policy, const std::vector<Summary>& baseline,
                        const std::vector<Summary>& candidate) {
  SideInWork a = begin_side(policy, baseline, "baseline", {});
  SideInWork b = begin_side(policy, candidate, "candidate", a.timed);
  if (policy.paired) drop_half_pairs(a, b);
  return {finish(std::move(a)), finish(std::move(b))};
}

}  // namespace stepscope
