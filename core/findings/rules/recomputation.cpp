// SPDX-License-Identifier: Apache-2.0
// recomputation: the backward pass runs parts of the forward pass once more (activation
// checkpointing), which saves the memory of what they made.
//
//   fires where   recomputed >= 5 % of the step, and >= least
//   recomputed    time of the direction `recompute`, of the host and of the device, without waits for
//                 a core
//   not where     the device's memory was 90 % in use at its fullest: then checkpointing is needed
//   forecast      none of it is done again, and the host takes half of its time on the way to the
//                 other operations of these lines (0.35 to all of it): each tensor that they save goes
//                 through hooks in Python, forward and backward. Measured on an H200
//                 (docs/measurements/forecasts.md)
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/findings/advice/advice.hpp"
#include "core/findings/price.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kRecomputation = "recomputation";
constexpr double kRecomputedLeastShare = 0.05;
constexpr double kMemoryIsFull = 0.9;
constexpr double kWithoutHooks = 0.5, kWithoutHooksLow = 0.35;
constexpr double kHookedWorthFix = 0.01;  // share of the step
constexpr std::array kHooked = {Cause::host_python, Cause::host_framework,
                                Cause::host_between_calls};

struct MemoryUse {
  double peak_bytes = 0, all_bytes = 0;
  double share() const { return peak_bytes / all_bytes; }
};

// Returns the use of the process's fullest device; nothing where no memory was sampled.
std::optional<MemoryUse> memory_use(const JudgedRun& run) {
  std::optional<MemoryUse> out;
  for (const DeviceHealth& health : run.summary.device_health) {
    if (!health.memory_peak_bytes) continue;
    for (const Device& device : run.trace.data().devices) {
      if (device.process != run.steps.process || device.index != health.device) continue;
      if (device.memory_bytes == 0) continue;
      const MemoryUse use{*health.memory_peak_bytes, static_cast<double>(device.memory_bytes)};
      if (!out || use.share() > out->share()) out = use;
    }
  }
  return out;
}

std::string memory_text(const std::optional<MemoryUse>& use) {
  if (!use) return "";
  constexpr double kGb = 1e9;
  return fmt::format("; at most {:.3g} of the device's {:.3g} GB were in use",
                     use->peak_bytes / kGb, use->all_bytes / kGb);
}

bool is_hooked(Cause cause) {
  return std::ranges::find(kHooked, cause) != kHooked.end();
}

struct RepeatedForward {
  explicit RepeatedForward(const JudgedRun& run) : price(run) {
    for (std::size_t i = 0; i < run.segments().size(); ++i) {
      const Segment& s = run.segments()[i];
      if (s.direction != Direction::recompute || !run.counts(s.time.begin)) continue;
      if (s.cause == Cause::host_core_wait) continue;
      price.add(s, s.time.length());
      if (s.site != kNone) lines.insert(s.site);
      parts.emplace_back(i, run.unexplained_ns(i));
    }
    repeated = price.total();
    for (const Segment& s : run.segments())
      if (is_hooked(s.cause) && s.direction != Direction::recompute && lines.contains(s.site) &&
          run.counts(s.time.begin))
        hooked[s.cause] += s.time.length();
  }

  Price price;
  std::set<SiteId> lines;
  Explained parts;
  std::int64_t repeated = 0;
  std::map<Cause, std::int64_t> hooked;  // host time of these lines' other operations

  double hooks_ns() const {
    double out = 0;
    for (const auto& [cause, ns] : hooked) out += (1 - kWithoutHooks) * static_cast<double>(ns);
    return out;
  }
};

std::vector<Fix> without_checkpoints(const JudgedRun& run, const RepeatedForward& forward) {
  Fix keep{.kind = FixKind::drop_work};
  keep.scope.direction = Direction::recompute;
  keep.finding = kRecomputation;
  std::vector<Fix> out = {keep};
  for (const auto& [cause, ns] : forward.hooked) {
    if (run.weight(run.per_step(ns)) < kHookedWorthFix) continue;
    Fix unhooked{.kind = FixKind::scale_work,
                 .factor = kWithoutHooks,
                 .factor_low = kWithoutHooksLow,
                 .factor_high = 1};
    unhooked.scope.sites.assign(forward.lines.begin(), forward.lines.end());
    unhooked.scope.cause = cause;
    unhooked.finding = kRecomputation;
    out.push_back(unhooked);
  }
  return out;
}

}  // namespace

Judgement judge_recomputation(const JudgedRun& run) {
  const RepeatedForward forward(run);
  const double time = run.per_step(forward.repeated);
  const std::string costs =
      fmt::format("{} a step ({})", format_duration(time), percent(run.share(time)));
  if (forward.repeated == 0) return cleared("no part of a forward pass runs again");
  if (run.weight(time) < kRecomputedLeastShare || time < run.least_ns())
    return cleared("what runs again in the backward pass takes " + costs);
  const std::optional<MemoryUse> use = memory_use(run);
  if (use && use->share() >= kMemoryIsFull)
    return cleared(fmt::format("what runs again in the backward pass takes {}{}, so it is needed",
                               costs, memory_text(use)));
  Finding out =
      forward.price.finding(time + run.per_step(static_cast<std::int64_t>(forward.hooks_ns())));
  out.title = fmt::format(
      "the backward pass runs parts of the forward pass once more (activation checkpointing): {}{}",
      costs, memory_text(use));
  out.fixes = without_checkpoints(run, forward);
  advise(Advice::recomputation, run.language, out);
  out.falsified_by =
      "without checkpointing the program runs out of memory, or its step does not become shorter";
  out.certainty = Certainty::inferred;
  return fired(out, forward.parts);
}

}  // namespace stepscope::rules
