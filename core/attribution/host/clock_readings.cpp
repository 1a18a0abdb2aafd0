// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/clock_readings.hpp"

#include <algorithm>

namespace stepscope {

std::map<std::pair<ProcessId, std::string>, ClockReadings> readings_of(const Trace& trace,
                                                                       std::string_view prefix) {
  const Counters& c = trace.data().counters;
  std::map<std::pair<ProcessId, std::string>, ClockReadings> out;
  std::map<StringId, bool> begins_so;  // a trace has few tracks, and may have millions of rows
  for (std::size_t row = 0; row < c.size(); ++row) {
    const std::string_view name = trace.text(c.track[row]);
    const auto [known, is_new] = begins_so.try_emplace(c.track[row], false);
    if (is_new) known->second = name.starts_with(prefix);
    if (known->second)
      out[{c.process[row], std::string(name.substr(prefix.size()))}].push_back(
          {c.time[row], c.value[row]});
  }
  for (auto& [key, readings] : out) std::ranges::sort(readings, {}, &ClockReading::time);
  return out;
}

double growth_in(const ClockReadings& readings, Interval time) {
  double growth = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const Interval between{readings[i - 1].time, readings[i].time};
    if (between.empty()) continue;
    const double share = static_cast<double>(intersect(between, time).length()) /
                         static_cast<double>(between.length());
    growth += share * (readings[i].value - readings[i - 1].value);
  }
  return growth;
}

}  // namespace stepscope
