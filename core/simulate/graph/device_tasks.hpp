// SPDX-License-Identifier: Apache-2.0
// The device ops that a graph's host tasks issue: when the device could begin each, and behind
// what.
//
// What held an op back as recorded keeps its recorded delay, up to what the walk explains
// (docs/design.md: 10 us); whatever else may hold it back after an edit takes the trace's typical
// latency or dispatch time. Where a format does not record which stream an event wait is of, an op
// that began late for no other reason waits for the op of another stream that ended just before it.
#pragma once

#include <vector>

#include "core/attribution/process_index.hpp"
#include "core/simulate/graph/task_graph.hpp"
#include "core/steps/windows.hpp"

namespace stepscope {

class DeviceTasks {
 public:
  DeviceTasks(const ProcessIndex& index, const Attribution& attribution, TaskGraph& graph);

  void append_all();

  std::uint32_t row_of(DeviceOpId op) const { return row_of_[op]; }  // kNone: not in the graph
  std::uint32_t number_of(StreamId stream);

 private:
  void append(HostTask& task);
  void add(const HostTask& task, DeviceOpId op);
  void set_delays(const HostTask& task, DeviceTask& out);
  void link();
  std::uint32_t ended_just_before(DeviceOpId op) const;

  const ProcessIndex& index_;
  const Trace& trace_;
  const Attribution& attribution_;
  TaskGraph& graph_;
  std::vector<std::uint32_t> row_of_;          // by DeviceOpId
  std::vector<std::uint32_t> stream_numbers_;  // by StreamId
  std::vector<StreamRole> roles_;
  std::vector<std::uint32_t> late_;    // rows that began late for no known reason
  std::vector<std::uint32_t> by_end_;  // rows
};

// Finds what each call of a graph waits for, and what its return takes after that.
void find_waits(const ProcessIndex& index, DeviceTasks& device, TaskGraph& graph);

}  // namespace stepscope
