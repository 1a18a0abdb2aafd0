// SPDX-License-Identifier: Apache-2.0
// How much work the counted steps did, in exact integers: what a gate can judge from one run.
//
// A step's work is what its host issued: calls between its begin and the next step's begin on the
// host, and the device ops that those calls launched, whenever they ran. So a host that runs ahead
// changes no count. Ops whose launch is not in the trace count where they begin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attribution/direction.hpp"
#include "core/model/trace.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

struct ProcessIndex;

// What one operation at one line adds to a count.
struct CountPlace {
  std::string file;  // empty: no line
  std::uint32_t line = 0;
  std::string function;
  std::string operation;  // rows/operation_rows.hpp
  Direction direction = Direction::none;
  std::uint64_t total = 0;  // over the counted steps
  friend bool operator==(const CountPlace&, const CountPlace&) = default;
};

struct WorkCount {
  // Stable ids: "kernels", "launches", "graph_launches", "host_syncs", "allocations", "copies_h2d",
  // "copies_d2h", "copies_d2d", "bytes_h2d", "bytes_d2h", "bytes_d2d", "memsets", "cpu_ops", "loader_ops" (those
  // with which PyTorch's loader makes a batch; not where it has workers, which would do it unseen).
  std::string name;
  std::uint64_t total = 0;         // over the counted steps
  std::uint64_t least_a_step = 0;  // in a single counted step
  std::uint64_t most_a_step = 0;
  // The 10th and 90th percentile of the counted steps, rounded to the outer step: the least and the
  // most of at most ten steps. What a few irregular steps do lies outside. Not in older documents.
  std::optional<std::uint64_t> p10_a_step;
  std::optional<std::uint64_t> p90_a_step;
  // Count over all that was recorded of the process: warm-up and what is outside of any step
  // included. Not in older documents.
  std::optional<std::uint64_t> in_recording;
  // They sum to `total`. None in older documents, nor where it is not known which line an event is
  // at.
  std::vector<CountPlace> places;
};

// The ids above, in their order.
std::vector<std::string_view> work_count_names();

// Returns the counts in the order of the ids above. A count is left out where its events were not
// recorded. `counted` are rows of steps.list; `index` tells the line of an event; without it no places are counted.
std::vector<WorkCount> count_work(const Trace& trace, const Steps& steps,
                                  const std::vector<std::uint32_t>& counted,
                                  const ProcessIndex* index = nullptr);

}  // namespace stepscope
