// SPDX-License-Identifier: Apache-2.0
// The phase and line of each device op of a process.
//
// An op is where its launch is. An op of a CUDA graph is where its node was captured, if that was
// recorded: at the line captured, in the ranges opened within the capture (else in all that were
// open then), inside the user ranges that the launch stands in. So a range around the replay keeps
// the sum of the graph, and the graph's parts appear in it as they do without a graph.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/attribution/places/call_sites.hpp"
#include "core/attribution/places/captures.hpp"
#include "core/attribution/places/phases.hpp"

namespace stepscope {

struct Place {
  PhaseId phase = 0;
  CodeLine line;
};

class OpPlaces {
 public:
  OpPlaces(const Trace& trace, const Threads& threads, PhaseTable& phases, const CallSites& sites,
           const std::vector<DeviceOpId>& ops);

  // Returns where the work of the op was written.
  Place of(DeviceOpId op) const { return written_[op]; }
  // Returns where the op was launched: what waits for a launch is there, also for a graph's.
  Place of_launch(DeviceOpId op) const;
  // The range in which its work was written; kNone where none is known.
  RangeId range_of(DeviceOpId op) const;

  const GraphWork& graphs() const { return graphs_; }

 private:
  Place captured(DeviceOpId op, std::uint32_t row);
  Place made_at(std::uint32_t row);

  const Trace& trace_;
  const Threads& threads_;
  PhaseTable& phases_;
  const CallSites& sites_;
  Captures captures_;
  std::unordered_map<std::uint32_t, Place> made_;  // by row of GraphNodes
  std::vector<Place> written_;                     // by DeviceOpId
  GraphWork graphs_;
};

}  // namespace stepscope
