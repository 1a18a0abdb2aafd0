// SPDX-License-Identifier: Apache-2.0
// Further runs of a recorded one: its report's document with every time scaled, so that all sums
// still hold, recorded at another time.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace stepscope {

// Rounded like every number here; what rounding leaves over goes to the largest.
inline void scale_parts(nlohmann::ordered_json& rows, double factor, std::int64_t total) {
  std::int64_t sum = 0;
  nlohmann::ordered_json* largest = nullptr;
  for (auto& row : rows) {
    row["ns_total"] = std::llround(row["ns_total"].get<double>() * factor);
    sum += row["ns_total"].get<std::int64_t>();
    if (largest == nullptr || row["ns_total"] > (*largest)["ns_total"]) largest = &row;
  }
  if (largest != nullptr)
    (*largest)["ns_total"] = (*largest)["ns_total"].get<std::int64_t>() + total - sum;
}

inline nlohmann::ordered_json repeat_of(nlohmann::ordered_json document, double factor,
                                        int recording) {
  nlohmann::ordered_json& partition = document["partition"];
  for (const char* name : {"wall_ns_total", "p50_ns", "p90_ns"})
    partition[name] = std::llround(partition[name].get<double>() * factor);
  const auto wall = partition["wall_ns_total"].get<std::int64_t>();
  scale_parts(partition["parts"], factor, wall);
  scale_parts(document["cells"], factor, wall);
  for (auto& step : document["steps"]["list"])
    step["begin_ns"] = step["begin_ns"].get<std::int64_t>() + recording * 3'600'000'000'000;
  return document;
}

inline void add_work(nlohmann::ordered_json& document, const std::string& count,
                     std::uint64_t a_step) {
  const auto steps = document["partition"]["steps_counted"].get<std::uint64_t>();
  for (auto& row : document["counts"]) {
    if (row["name"] != count) continue;
    row["total"] = row["total"].get<std::uint64_t>() + steps * a_step;
    for (const char* name : {"least_a_step", "most_a_step", "p10_a_step", "p90_a_step"})
      row[name] = row[name].get<std::uint64_t>() + a_step;
    row["places"].push_back({{"total", steps * a_step}});  // at no line
  }
}

}  // namespace stepscope
