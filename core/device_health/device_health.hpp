// SPDX-License-Identifier: Apache-2.0
// How the devices were while the counted steps ran: clocks, why they were low, power, temperature,
// memory. Read off samples, so it explains steps and never owns time.
//
// What the samples cannot carry is not said: a trend of memory or slower clocks in slow steps need
// enough samples and a difference that chance does not make.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/device_health/memory_growth.hpp"
#include "core/device_health/slow_steps.hpp"
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
  double share = 0;  // of the samples: several reasons may hold at once
};

struct DeviceHealth {
  std::uint32_t device = 0;
  std::uint64_t samples = 0;  // of the SM clock, in the counted steps
  std::optional<ClockSpread> sm_clock_mhz;
  std::vector<ReasonShare> reasons;  // largest first; reasons that never held are left out
  std::optional<double> mean_power_w;
  std::optional<double> power_limit_w;          // the lowest of the run
  std::optional<double> default_power_limit_w;  // the card's own
  std::optional<double> highest_temperature_celsius;
  std::optional<double> memory_peak_bytes;             // of the device, in the whole run
  std::optional<double> process_memory_peak_bytes;     // of this process alone
  MemoryGrowth memory_growth;                          // of the process where enough is known of it
  std::optional<double> nvlink_sent_bytes_per_second;  // from the first counted step to the last
  std::optional<double> nvlink_received_bytes_per_second;
  std::optional<double>
      other_processes;  // at most, in the counted steps or, without a sample there, in the run
  std::optional<SlowSteps> slow_steps;  // only where slow steps had other clocks
};

// The clock was low for the card's own limit of power alone: nobody lowered the limit, and neither
// heat nor anything else slowed the card. That is how it works, and nothing to mend.
bool works_at_its_own_power_limit(const DeviceHealth& health);

// `counted`: rows of steps.list. A device without a sample in them is left out.
std::vector<DeviceHealth> device_health(const Trace& trace, const Steps& steps,
                                        const std::vector<std::uint32_t>& counted);

}  // namespace stepscope
