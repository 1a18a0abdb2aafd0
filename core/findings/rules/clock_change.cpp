// SPDX-License-Identifier: Apache-2.0
// clock_change: the device's clock is lower than it could be while the counted steps run: throttled
// by power, temperature or a setting, or different between steps.
//
//   fires where   drop >= 3 %, and drop x device work >= least
//   drop          1 - median clock / highest clock seen in the run
//   Between two runs clocks are the diff's and the gate's matter. Without samples: not judged.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kClockChange = "clock_change";
constexpr double kLeastDrop = 0.03, kAllTheTime = 0.9;

const DeviceHealth* slowest_device(const JudgedRun& run) {
  const DeviceHealth* slowest = nullptr;
  double lowest = 1;
  for (const DeviceHealth& device : run.summary.device_health) {
    if (!device.sm_clock_mhz || device.sm_clock_mhz->highest_seen <= 0) continue;
    const double ratio = device.sm_clock_mhz->median / device.sm_clock_mhz->highest_seen;
    if (slowest && ratio >= lowest) continue;
    lowest = ratio;
    slowest = &device;
  }
  return slowest;
}

std::string why_low(const DeviceHealth& device) {
  for (const ReasonShare& reason : device.reasons)
    if (reason.id != "idle")
      return fmt::format("; {} {} of the time", reason.meaning, percent(reason.share));
  return "";
}

std::string text_of_limit(const DeviceHealth& device) {
  return fmt::format(
      "GPU {} works at its own power limit ({:.0f} W): {:.0f} MHz in the median, {} below the "
      "highest seen, which only work that needs less energy changes",
      device.device, *device.power_limit_w, device.sm_clock_mhz->median,
      percent(1 - device.sm_clock_mhz->median / device.sm_clock_mhz->highest_seen));
}

bool is_lowered(const DeviceHealth& device) {
  return device.power_limit_w && device.default_power_limit_w &&
         *device.power_limit_w < *device.default_power_limit_w;
}

// All the time: the card works at the most power that it may take.
bool is_at_power_limit(const DeviceHealth& device) {
  return std::any_of(device.reasons.begin(), device.reasons.end(), [](const ReasonShare& reason) {
    return reason.id == "power_cap" && reason.share >= kAllTheTime;
  });
}

std::string why_and_what(const DeviceHealth& device, bool at_limit) {
  if (is_lowered(device))
    return fmt::format(
        "raise the power limit, which is lowered to {:.0f} of {:.0f} W (nvidia-smi "
        "-pl, which needs rights)",
        *device.power_limit_w, *device.default_power_limit_w);
  if (at_limit)
    return "compare the power limit with the card's own (nvidia-smi -q -d POWER): if it was "
           "lowered, raise it; if not, only work that needs less energy runs at higher clocks";
  return "look at why (nvidia-smi -q -d PERFORMANCE): a power cap, temperature, application "
         "clocks, or a neighbour; for comparisons hold the clocks (nvidia-smi -lgc)";
}

}  // namespace

Judgement judge_clock_change(const JudgedRun& run) {
  const DeviceHealth* device = slowest_device(run);
  if (device == nullptr) return abstained("clocks were not sampled");
  const ClockSpread& clock = *device->sm_clock_mhz;
  const double drop = 1 - clock.median / clock.highest_seen;
  const double busy = run.per_step(run.summary.partition.device_busy_ns_total);
  if (drop < kLeastDrop || drop * busy < run.least_ns()) {
    return cleared(fmt::format("the clock is {:.0f} MHz in the median, {} below the highest seen",
                               clock.median, percent(drop)));
  }
  if (works_at_its_own_power_limit(*device)) return cleared(text_of_limit(*device));
  Price price(run);
  for (const Segment& s : run.segments())
    if (is_device_busy(s.cause) && run.counts(s.time.begin)) price.add(s, s.time.length());
  Finding finding = price.finding(drop * busy);
  finding.places.clear();
  finding.link_rate.reset();
  finding.phase.clear();
  finding.count_per_step = 1;
  Fix faster;
  faster.kind = FixKind::scale_work;
  faster.factor = faster.factor_low = 1 - drop;
  // What is bound by memory hardly gains, and a card's own limit of power does not move at all.
  const bool at_limit = is_at_power_limit(*device) && !is_lowered(*device);
  faster.factor_high = at_limit ? 1 : 1 - drop / 4;
  std::vector<DeviceOpId> kernels;
  for (DeviceOpId op = 0; op < run.trace.device_ops().size(); ++op)
    if (run.trace.device_ops().kind[op] == DeviceOpKind::kernel) kernels.push_back(op);
  set_ops(faster, std::move(kernels), kClockChange);
  finding.fixes = {faster};
  finding.title = fmt::format(
      "GPU {} runs at {:.0f} MHz in the median, {} below the {:.0f} MHz that it reached{}",
      device->device, clock.median, percent(drop), clock.highest_seen, why_low(*device));
  finding.fix = why_and_what(*device, at_limit);
  finding.falsified_by =
      "with held clocks the step keeps its length: then it is bound by memory or the host";
  finding.certainty = Certainty::inferred;
  return fired(std::move(finding));
}

}  // namespace stepscope::rules
