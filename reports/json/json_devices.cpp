// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_devices.hpp"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json clock_json(const std::optional<ClockSpread>& clock) {
  if (!clock) return nullptr;
  return {{"median", clock->median},
          {"lowest", clock->lowest},
          {"highest", clock->highest},
          {"highest_seen", clock->highest_seen}};
}

Json reasons_json(const std::vector<ReasonShare>& reasons) {
  Json out = Json::array();
  for (const ReasonShare& reason : reasons)
    out.push_back({{"reason", reason.id}, {"share", reason.share}});
  return out;
}

Json slow_json(const std::optional<SlowSteps>& slow) {
  if (!slow) return nullptr;
  return {{"steps", slow->steps}, {"clock_ratio", slow->clock_ratio}};
}

Json health_json(const DeviceHealth& health) {
  return {{"device", health.device},
          {"samples", health.samples},
          {"sm_clock_mhz", clock_json(health.sm_clock_mhz)},
          {"clock_reasons", reasons_json(health.reasons)},
          {"mean_power_w", or_null(health.mean_power_w)},
          {"power_limit_w", or_null(health.power_limit_w)},
          {"default_power_limit_w", or_null(health.default_power_limit_w)},
          {"highest_temperature_celsius", or_null(health.highest_temperature_celsius)},
          {"memory_peak_bytes", or_null(health.memory_peak_bytes)},
          {"process_memory_peak_bytes", or_null(health.process_memory_peak_bytes)},
          {"memory_trend", name_of(health.memory_growth.trend)},
          {"memory_growth_bytes_per_step", or_null(health.memory_growth.bytes_per_step)},
          {"nvlink_sent_bytes_per_second", or_null(health.nvlink_sent_bytes_per_second)},
          {"nvlink_received_bytes_per_second", or_null(health.nvlink_received_bytes_per_second)},
          {"other_processes", or_null(health.other_processes)},
          {"slow_steps", slow_json(health.slow_steps)}};
}

}  // namespace

Json device_health_json(const Summary& summary) {
  Json out = Json::array();
  for (const DeviceHealth& health : summary.device_health) out.push_back(health_json(health));
  return out;
}

Json throughput_json(const Throughput& t) {
  return {{"flops_per_step", t.flops_per_step},       {"devices", t.devices},
          {"tflops_per_device", t.tflops_per_device}, {"peak_from", name_of(t.peak_from)},
          {"peak_tflops", or_null(t.peak_tflops)},    {"mfu", or_null(t.utilization)}};
}

}  // namespace stepscope
