// SPDX-License-Identifier: Apache-2.0
// The state of the devices while the counted steps ran: clocks, why they were low, power,
// temperature, memory. It is read off samples, so it explains steps and never owns time.
//
// A trend of memory or slower clocks in slow steps is reported only with enough samples and a
// difference that chance does not make.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/device_health/memory_growth.hpp"
#include "core/device_health/step_samples.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

struct ClockSpread {
  double median = 0;
  double lowest = 0;
  double highest = 0;
  double highest_seen = 0;  // in the whole run
};

struct ReasonShare {
  std::string_view id;  // see kClockReasons
  std::string_view meaning;
  double share = 0;  // share of the samples; several reasons may hold at once
};

struct DeviceHealth {
  std::uint32_t device = 0;
  std::uint64_t samples = 0;  // samples of the SM clock in the counted steps
  std::optional<ClockSpread> sm_clock_mhz;
  std::vector<ReasonShare> reasons;  // largest first; reasons that never held are left out
  std::optional<double> mean_power_w;
  std::optional<double> power_limit_w;          // the lowest of the run
  std::optional<double> default_power_limit_w;  // the card's own
  std::optional<double> highest_temperature_celsius;
  std::optional<double> memory_peak_bytes;          // the device's, in the whole run
  std::optional<double> process_memory_peak_bytes;  // this process's alone
  // Growth of the process's memory where enough is known of it, else of the device's.
  MemoryGrowth memory_growth;
  std::optional<double> nvlink_sent_bytes_per_second;  // from the first counted step to the last
  std::optional<double> nvlink_received_bytes_per_second;
  std::optional<double>
      other_processes;  // at most, in the counted steps or, without a sample there, in the run
  std::optional<SlowSteps> slow_steps;  // only where slow steps had other clocks
};

// The clock was low for the card's own limit of power alone: nobody lowered the limit, and neither
// heat nor anything else slowed the card. That is how it works, and nothing to repair.
bool works_at_its_own_power_limit(const DeviceHealth& health);

// `counted`: rows of steps.list. A device without a sample in them is left out.
std::vector<DeviceHealth> device_health(const Trace& trace, const Steps& steps,
                                        const std::vector<std::uint32_t>& counted);

}  // namespace stepscope
